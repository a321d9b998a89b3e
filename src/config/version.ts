import { readFileSync } from "node:fs";

/** From package.json, two folders above the bundle. */
export const VERSION: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
