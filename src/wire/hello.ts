/**
 * The first message of every client. An agent sends its join in the same write, and waits for no answer between them. A
 * person is asked for a proof (supervisor/clients/person-key.ts). Roles are proven, never claimed.
 */
import * as v from "valibot";
import { number, optional, pid, text } from "../core/schemas/values.ts";

const DIGEST_CHARS = 64; // SHA-256 in hexadecimal

/** All that a supervisor of any version must understand of a client of any version. */
const GreetingSchema = v.object({ say: v.literal("hello"), version: number });

export const HelloSchema = v.object({
	...GreetingSchema.entries,
	/** `person`: whoever does not join; the supervisor finds out whether it is one. */
	role: v.picklist(["agent", "person"]),
	/** The client's own process. */
	pid,
	/** The pid namespace in which `pid` is counted; absent: that of the supervisor. */
	pidNamespace: optional(v.nullable(text)),
});
export type Hello = v.InferOutput<typeof HelloSchema>;

/** The answer to `challenge`. */
export const ProofSchema = v.object({
	say: v.literal("proof"),
	/** As `proofOf` makes it. */
	digest: v.pipe(text, v.length(DIGEST_CHARS)),
});
export type Proof = v.InferOutput<typeof ProofSchema>;

/** The version that a client speaks, which may be another one's; undefined for what is no hello. */
export function versionOf(value: unknown): number | undefined {
	const greeting = v.safeParse(GreetingSchema, value);
	return greeting.success ? greeting.output.version : undefined;
}
