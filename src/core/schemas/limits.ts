/**
 * What bounds an agent, in messages and in files: its limits, before which commands a person is asked, its sandbox. Which limits there
 * are differs from version to version (core/limits/limits.ts has this one's).
 */
import * as v from "valibot";
import { NARROW_MODES } from "../ask-mode.ts";
import { DEFAULT_LIMITS, knownLimits, type Limits } from "../limits/limits.ts";
import { ACCESSES, NETWORKS, SANDBOX_MODES } from "../machine/sandbox.ts";
import { isObject, listOf, number, optional, readonly, text } from "./values.ts";

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

const MAX_RULES = 100;
const MAX_CHARS = 500;
const rules = v.pipe(listOf(v.pipe(text, v.maxLength(MAX_CHARS))), v.maxLength(MAX_RULES));

/** Before which commands of a child a person is asked more than its parent, as the child asks for it. */
export const AskedNarrowingSchema = v.object({
	mode: optional(v.picklist(NARROW_MODES)),
	ask: optional(rules),
	deny: optional(rules),
});

/** What is in force, with that of all above. */
export const NarrowingSchema = readonly(
	v.object({ mode: optional(v.picklist(NARROW_MODES)), ask: listOf(text), deny: listOf(text) }),
);

const MountSchema = v.object({
	path: text,
	as: v.picklist(ACCESSES),
	...{ isMade: optional(v.literal(true)), isShown: optional(v.literal(true)), isGranted: optional(v.literal(true)) },
});

export const ConfinementSchema = v.object({
	mode: v.picklist(["workspace", "read-only"]),
	mounts: listOf(MountSchema),
	network: v.picklist(NETWORKS),
	hosts: listOf(text),
	held: optional(listOf(text)),
});

export const SandboxWishSchema = v.object({
	mode: optional(v.picklist(SANDBOX_MODES)),
	isRequired: optional(v.literal(true)),
	...{ allowWrite: optional(listOf(text)), allowRead: optional(listOf(text)), denyRead: optional(listOf(text)) },
	network: optional(v.picklist(NETWORKS)),
	allowHosts: optional(listOf(text)),
});
