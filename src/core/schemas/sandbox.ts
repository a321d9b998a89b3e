/** A sandbox in messages and in files. */
import * as v from "valibot";
import { ACCESSES, NETWORKS, SANDBOX_MODES } from "../machine/sandbox.ts";
import { listOf, optional, text } from "./values.ts";

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
