"""Upstream's plugins that complete objects by what else is in a cluster; on where there are controllers."""
