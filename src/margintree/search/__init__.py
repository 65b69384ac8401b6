"""The native searches: for maximum-margin trees, sparse trees and axis-parallel trees."""
