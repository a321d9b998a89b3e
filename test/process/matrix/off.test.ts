/** The column "off" of the table in docs/guarantees.md. */
import { tryFeatures } from "./try-features.ts";

tryFeatures("off");
