"""A simple scheduler: node names, selectors, taints and requests; among the nodes that fit, the emptiest."""
