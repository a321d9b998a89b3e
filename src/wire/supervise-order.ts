/** What a supervisor process behind a terminal gets on stdin: one JSON object, with the keys to the models. And its one reply. */
import * as v from "valibot";
import { MODES_IN_FORCE } from "../core/ask-mode.ts";
import { type ErrorCode, isErrorCode } from "../core/errors.ts";
import { AskedNarrowingSchema, ConfinementSchema, LimitsSchema } from "../core/schemas/limits.ts";
import { EffortSchema } from "../core/schemas/message.ts";
import { OwnWorktreeSchema } from "../core/schemas/own-worktree.ts";
import { LockOwnerSchema } from "../core/schemas/run-files.ts";
import { listOf, number, oneOf, optional, text } from "../core/schemas/values.ts";

const PriceSchema = v.object({
	upToPromptTokens: optional(number),
	input: number,
	output: number,
	cacheWrite: optional(number),
	cacheRead: optional(number),
});

/** A file that tells agents something, as it was read: the whole of it, or its beginning. */
const KeptFileSchema = v.object({
	/** As it was looked for: the file may be a link. */
	path: text,
	/** Safe for a terminal. */
	text,
	/** The size of the file. */
	bytes: number,
	/** Of what was read. */
	digest: text,
	isCut: optional(v.literal(true)),
	/** It is not all UTF-8. */
	isDamaged: optional(v.literal(true)),
});
export type KeptFile = Readonly<v.InferOutput<typeof KeptFileSchema>>;

/** Where files may lie that tell agents something. */
const InstructionPlacesSchema = v.object({
	/** The user's home. */
	home: optional(text),
	/** The directory of the user's own files. */
	own: optional(text),
	/** Whose projects there may be: project/project-of.ts. */
	homes: listOf(text),
	owners: listOf(number),
	/** The user, to whom those files belong. */
	uid: number,
	/** The roots of projects whose files are used. */
	trusted: listOf(text),
});
export type InstructionPlaces = Readonly<v.InferOutput<typeof InstructionPlacesSchema>>;

const FlagsSchema = v.object({
	maxTokens: optional(v.picklist(["max_tokens", "max_completion_tokens"])),
	systemRole: optional(v.picklist(["system", "developer", "user"])),
	streamUsage: optional(v.boolean()),
	thinkingBack: optional(v.picklist(["none", "reasoning_content", "reasoning", "reasoning_details"])),
	callSignatures: optional(v.boolean()),
	effort: optional(v.picklist(["none", "reasoning_effort", "reasoning"])),
	toolChoice: optional(v.boolean()),
	textAfterResults: optional(v.boolean()),
	shortCallIds: optional(v.boolean()),
	cutsPrompts: optional(v.boolean()),
	encryptedThinking: optional(v.boolean()),
	thinkingSummary: optional(v.boolean()),
});

const HostSchema = v.object({
	...{ name: text, baseUrl: optional(text), keyVariables: optional(listOf(text)), keyCommand: optional(text) },
	headers: optional(v.record(text, text)),
	...{ protocol: optional(v.picklist(["chat", "responses"])), flags: optional(FlagsSchema) },
});

const RulesSchema = v.object({ source: text, allow: listOf(text), ask: listOf(text), deny: listOf(text) });

/** `waits`: a question waits for a person to come. `timeoutMs`: so long; absent: as long as it takes. */
const AskingSchema = v.object({
	waits: v.boolean(),
	timeoutMs: optional(number),
	/** Before each command rules are asked; absent: none is. `skipped`: only those that deny count. */
	mode: optional(v.picklist(MODES_IN_FORCE)),
	/** What the root is bounded by, and all below it. */
	narrowing: optional(AskedNarrowingSchema),
	/** For which project a person may allow something for good, and the file for that. */
	project: optional(v.object({ root: text, file: text })),
	/** The rules of a person, the lowest source first. */
	rules: optional(listOf(RulesSchema)),
});
export type AskingSettings = Readonly<v.InferOutput<typeof AskingSchema>>;

const RunSettingsSchema = v.object({
	run: text,
	/** The state directory. */
	home: text,
	socket: text,
	task: text,
	cwd: text,
	model: text,
	/** Where the model's name came from: a flag or a variable. */
	modelFrom: optional(text),
	/** The models that take over, in this order, from one whose service does not answer. */
	fallbackModels: optional(listOf(text)),
	/** A model that is not known is left to the service, which is at an address of the user's own. */
	takesAnyModel: optional(v.boolean()),
	effort: optional(EffortSchema),
	/** What the run is called from now on; absent: as before. */
	name: optional(text),
	/** The root waits for a person between its answers. */
	isConversation: optional(v.literal(true)),
	/** The share of a model's window, 0 to 1, at which a history is compacted; absent: the default. */
	compactAt: optional(number),
	limits: LimitsSchema,
	bounds: v.object({ maxOutputBytes: number, keepFreeDiskBytes: number, keepFreeMemoryPercent: number }),
	retryPolicy: v.object({ maxSilenceMs: number, retryTimeMs: number, retryWaitMs: number }),
	/** The user's own prices, which go before the built-in ones. */
	prices: listOf(v.object({ id: text, contextTokens: number, maxOutputTokens: number, tiers: listOf(PriceSchema) })),
	/** Services of models that the user's configuration file describes. */
	hosts: listOf(HostSchema),
	/** For the root alone: the text of the JSON Schema that its answer has to fit. */
	jsonSchema: optional(text),
	/** For the root alone: the git worktree that is made for it; absent in a resumed run. */
	worktree: optional(OwnWorktreeSchema),
	/** For the root alone. */
	systemPrompt: optional(text),
	/** For every agent. */
	appendSystemPrompt: optional(text),
	/** The name of the root's role. */
	role: optional(text),
	/** Agents get no instruction files of projects and users. */
	withoutInstructions: optional(v.literal(true)),
	/** The files that tell agents something, by the directory in which they work. */
	instructions: optional(v.object({ ...InstructionPlacesSchema.entries, kept: listOf(KeptFileSchema) })),
	/** What confines the root's commands: the path of bwrap, and how; absent for no sandbox. */
	sandbox: optional(v.object({ program: text, confinement: ConfinementSchema })),
	/** Why there is none, where nobody has turned it off. */
	noSandbox: optional(text),
	/** Whether agents may ask a person; absent: they may not, since none can come. */
	asking: optional(AskingSchema),
	/** The version of agentree. */
	version: text,
	/** Where the root's answer and its last line on stderr go. */
	rootStdio: v.picklist(["inherit", "ignore"]),
	nodeProgram: text,
	/** What runs in the background when the root has answered is left running, and named. */
	keepsBackground: v.boolean(),
	/** The child's bundle, which `agent` in a command's PATH runs. */
	agentProgram: text,
	/** The soft limit of open files for commands; absent: inherited. */
	commandFiles: optional(number),
	/** The environment that agents start from, without any key. */
	env: v.record(text, text),
});
export type RunSettings = v.InferOutput<typeof RunSettingsSchema>;

/** The lock of the supervisor before. JSON leaves out an owner that could not be read. */
const HeldLockSchema = v.pipe(
	v.object({ number, path: text, since: number, owner: optional(LockOwnerSchema) }),
	v.transform(({ owner, ...lock }) => ({ ...lock, owner })),
);

/** `held`: the lock of a supervisor that is dead. `message`: to the root agent. */
const ResumeRequestSchema = v.pipe(
	v.object({ held: optional(HeldLockSchema), message: optional(text) }),
	v.transform(({ held, ...resume }) => ({ ...resume, held })),
);

export type ResumeRequest = v.InferOutput<typeof ResumeRequestSchema>;

const SuperviseOrderSchema = v.object({
	settings: RunSettingsSchema,
	/** Values of providers' variables by their names. */
	credentials: v.record(text, text),
	/** Set for a run that is resumed. */
	resume: optional(ResumeRequestSchema),
});
export type SuperviseOrder = v.InferOutput<typeof SuperviseOrderSchema>;

/** Undefined for a text that is no such order. */
export function parseSuperviseOrder(json: string): SuperviseOrder | undefined {
	return parsed(SuperviseOrderSchema, json);
}

/** What the supervisor prints to stdout, once, for the process that started it. */
const SuperviseReplySchema = oneOf("is", [
	v.object({ is: v.literal("started"), directory: text }),
	v.object({
		is: v.literal("failed"),
		code: v.custom<ErrorCode>((code) => typeof code === "string" && isErrorCode(code)),
		message: text,
	}),
]);
export type SuperviseReply = v.InferOutput<typeof SuperviseReplySchema>;

/** Undefined for a line that is no reply. */
export function parseSuperviseReply(line: string): SuperviseReply | undefined {
	return parsed(SuperviseReplySchema, line);
}

function parsed<const S extends v.GenericSchema>(schema: S, json: string): v.InferOutput<S> | undefined {
	try {
		const checked = v.safeParse(schema, JSON.parse(json));
		return checked.success ? checked.output : undefined;
	} catch {
		return undefined;
	}
}
