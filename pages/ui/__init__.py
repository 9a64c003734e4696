"""The parts that pages share."""
