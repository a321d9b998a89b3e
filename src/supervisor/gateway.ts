/** The only way to the model: calls are made here, streamed to who watches, charged, and cancelled. */
import { readFile } from "node:fs/promises";
import type { AgentId } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import {
	type Model,
	type ModelDelta,
	type ModelFailure,
	type ModelOutcome,
	type ModelRequest,
	NO_USAGE,
} from "../core/model.ts";
import { costOf } from "../models/prices.ts";

export interface GatewayCall {
	agent: AgentId;
	model: string;
	task: string;
	turn: number;
	request: ModelRequest;
	/** The newest command's log and its exit status, if it had one. */
	lastCommand: { log: string; exitCode: number | undefined } | undefined;
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
	const { agent, task, turn, request, lastCommand, onDelta } = call;
	try {
		const model = await loading;
		return await model.ask(request, { agent, task, turn, signal, onDelta, lastOutput: () => readOutput(lastCommand) });
	} catch (error) {
		return failureOf(error);
	}
}

async function readOutput(
	command: GatewayCall["lastCommand"],
): Promise<{ text: string; exitCode: number | undefined } | undefined> {
	if (command === undefined) return undefined;
	return { text: await readFile(command.log, "utf8").catch(() => ""), exitCode: command.exitCode };
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
