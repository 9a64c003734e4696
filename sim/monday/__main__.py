"""Write `data/monday.csv` anew: `python -m sim.monday`."""

from sim.monday import FILE
from sim.monday.recipe import SEED, csv_bytes, rush

if __name__ == "__main__":
    FILE.write_bytes(csv_bytes(rush(SEED)))
    print(f"Wrote {FILE.name} with seed {SEED}.")
