"""The native searches: maximum-margin trees, sparse trees and axis-parallel trees."""
