import * as v from "valibot";
import { number } from "./values.ts";

/** Tokens. `input` is what was neither read from nor written to the cache. */
export const UsageSchema = v.object({ input: number, output: number, cacheRead: number, cacheWrite: number });
export type Usage = v.InferOutput<typeof UsageSchema>;

/** Dollars; null when the price of a model is not known. */
export const CostSchema = v.nullable(number);
