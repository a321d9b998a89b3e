/** The column "no bubblewrap" of the table in docs/guarantees.md. */
import { tryFeatures } from "./try-features.ts";

tryFeatures("no bubblewrap");
