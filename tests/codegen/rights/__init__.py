"""Tests of the derivation of rights."""
