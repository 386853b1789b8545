#!/usr/bin/env python3
"""Writes tests/inputs/models/torch_RELEASE.pt2: a small archive as the torch of this Python saves it."""
import archive
import oddities

net = oddities.all_oddities()[oddities.AS_SAVED]
records = archive.exported(net.make().eval(), net.examples, net.dynamic_shapes, keep_weights=True)
(archive.TESTS / f"{oddities.AS_SAVED}.pt2").write_bytes(archive.as_saved(records))
