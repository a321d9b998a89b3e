import * as v from "valibot";
import { number, optional } from "./values.ts";

/**
 * Tokens. `input` is what was neither read from nor written to the cache. `uncounted`: the calls that were answered without a
 * word of what they used, which is in none of the numbers; absent: none.
 */
export const UsageSchema = v.object({
	input: number,
	output: number,
	cacheRead: number,
	cacheWrite: number,
	uncounted: optional(number),
});
export type Usage = v.InferOutput<typeof UsageSchema>;

/** Dollars; null when the price of a model is not known. */
export const CostSchema = v.nullable(number);
