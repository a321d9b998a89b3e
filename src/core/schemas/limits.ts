/** Limits in messages and in files: which there are differs from version to version (core/limits/limits.ts has this one's). */
import * as v from "valibot";
import { DEFAULT_LIMITS, knownLimits, type Limits } from "../limits/limits.ts";
import { isObject, number } from "./values.ts";

const LimitSchema = v.nullable(number);
const SomeLimitsSchema = v.custom<Record<string, number | null>>(
	(found) => isObject(found) && Object.values(found).every((limit) => v.is(LimitSchema, limit)),
);

/** A limit that the writer did not set, or did not know, has its default. */
export const LimitsSchema = v.pipe(
	SomeLimitsSchema,
	v.transform((found): Limits => ({ ...DEFAULT_LIMITS, ...knownLimits(found) })),
);

/** The limits that a child asks for; `narrow` ignores values that make no sense. */
export const AskedLimitsSchema = v.pipe(SomeLimitsSchema, v.transform(knownLimits));

/** Limits as a person sets them anew; null takes one away that has no default. */
export const ChangedLimitsSchema = SomeLimitsSchema;
