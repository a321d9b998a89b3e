/** The only way to the model: calls are made here, streamed to who watches, charged, and cancelled. */
import { open } from "node:fs/promises";
import type { AgentId } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import {
	type AskKind,
	type LastOutput,
	type Model,
	type ModelDelta,
	type ModelFailure,
	type ModelOutcome,
	type ModelRequest,
	NO_USAGE,
} from "../core/model.ts";
import { costOf } from "../models/prices.ts";

const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** The agent's newest command: where its output is, how much it printed, its exit status if it had one. */
export interface LastCommand {
	log: string;
	printedBytes: number;
	exitCode: number | undefined;
}

export interface GatewayCall {
	agent: AgentId;
	model: string;
	task: string;
	turn: number;
	kind: AskKind;
	request: ModelRequest;
	lastCommand: LastCommand | undefined;
	onDelta: (delta: ModelDelta) => void;
}

/** Not told of a call that was cancelled. */
export type OnOutcome = (outcome: ModelOutcome, costUsd: number | null) => void;

export interface Gateway {
	call(call: GatewayCall, onOutcome: OnOutcome): void;
	/** Ends the call under way. */
	cancel(agent: AgentId): void;
	/** The text that has come so far of the agent's newest call; empty once it has been answered. */
	partialText(agent: AgentId): string;
	close(): void;
}

interface Call {
	abort: AbortController;
	text: string;
}

/** `load` is called once for each model name. */
export function createGateway(load: (name: string) => Promise<Model>): Gateway {
	const models = new Map<string, Promise<Model>>();
	const calls = new Map<AgentId, Call>();
	const modelNamed = (name: string) => {
		const model = models.get(name) ?? load(name);
		models.set(name, model);
		return model;
	};
	return {
		call: (call, onOutcome) => {
			const current: Call = { abort: new AbortController(), text: "" };
			const { signal } = current.abort;
			calls.set(call.agent, current);
			const onDelta = (delta: ModelDelta) => {
				if (delta.kind === "text") current.text += delta.text;
				call.onDelta(delta);
			};
			void ask(modelNamed(call.model), { ...call, onDelta }, signal).then((outcome) => {
				if (outcome.is === "reply") current.text = "";
				if (!signal.aborted) onOutcome(outcome, chargeOf(call.model, outcome));
			});
		},
		cancel: (agent) => calls.get(agent)?.abort.abort(),
		partialText: (agent) => calls.get(agent)?.text ?? "",
		close: () => {
			for (const { abort } of calls.values()) abort.abort();
			for (const model of models.values()) model.then((loaded) => loaded.close()).catch(() => {});
		},
	};
}

async function ask(loading: Promise<Model>, call: GatewayCall, signal: AbortSignal): Promise<ModelOutcome> {
	const { agent, task, turn, kind, request, lastCommand, onDelta } = call;
	const lastOutput = () => readOutput(lastCommand);
	try {
		const model = await loading;
		return await model.ask(request, { agent, task, turn, kind, signal, onDelta, onUsage: () => {}, lastOutput });
	} catch (error) {
		return failureOf(error);
	}
}

/** A log may hold 64 MiB, as text and JSON many times that: more than this goes only where bytes are streamed. */
async function readOutput(command: LastCommand | undefined): Promise<LastOutput | undefined> {
	if (command === undefined) return undefined;
	const { log: path, printedBytes, exitCode } = command;
	const file = await open(path).catch(() => undefined);
	if (file === undefined) return { path, text: "", printedBytes, keptBytes: 0, exitCode };
	try {
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, MAX_TEXT_BYTES)) });
		const rest = size > MAX_TEXT_BYTES ? `\n[cut here: the whole, ${size} bytes, is in ${path}]\n` : "";
		return {
			path,
			text: buffer.subarray(0, bytesRead).toString("utf8") + rest,
			printedBytes,
			keptBytes: size,
			exitCode,
		};
	} finally {
		await file.close();
	}
}

/** What a model that cannot be loaded, or a bug in one, looks like to the agent. */
function failureOf(error: unknown): ModelFailure {
	const exitCode = error instanceof AgentreeError && error.exitCode === 77 ? 77 : 1;
	return { is: "failure", reason: error instanceof Error ? error.message : String(error), exitCode, usage: NO_USAGE };
}

/** A call that used nothing costs nothing, whatever its price. */
function chargeOf(model: string, outcome: ModelOutcome): number | null {
	const { usage } = outcome;
	if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0) return 0;
	return costOf(outcome.is === "reply" ? outcome.model : model, usage) ?? costOf(model, usage);
}
