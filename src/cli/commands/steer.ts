/** `agent pause`, `agent continue`, `agent send`: what a person asks of a live agent. */

import { AgentreeError } from "../../core/errors.ts";
import { MAX_MESSAGE_CHARS } from "../../core/model/message-marks.ts";
import { isRef } from "../../project/config/run-names.ts";
import { readTask, requireTask } from "../../terminal/stdin.ts";
import { describeArrival } from "../../wire/open-requests.ts";
import { askRun, findTarget, nameOf } from "../io/ask-run.ts";
import { type PrintingCommand, printJson } from "../io/process-io.ts";
import { isRunHere } from "../sessions/asked-session.ts";

/** No agent of a branch gets a next call until the pause ends. `--hard` freezes commands, too. */
export const pause: PrintingCommand = async ([ref], { json, hard }, io) => {
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const request = { say: "pause", agent, isHard: hard === true } as const;
	const { agents, processes } = await askRun(target, { request, answer: "paused" }, io);
	const frozen = hard ? `, and froze ${processes === 1 ? "1 process" : `${processes} processes`}` : "";
	if (json) printJson(io, { run, agent, agents, frozen_processes: processes });
	else io.stdout(`paused ${nameOf(target, agents)}${frozen}\n`);
	return 0;
};

export const endPause: PrintingCommand = async ([ref], { json }, io) => {
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const { agents } = await askRun(target, { request: { say: "continue", agent }, answer: "continued" }, io);
	if (json) printJson(io, { run, agent, agents });
	else if (agents === 0) io.stderr(`${nameOf(target)} is not paused\n`);
	else io.stdout(`continued ${nameOf(target, agents)}\n`);
	return 0;
};

/** A message, which the agent gets before its next call. One argument is the message, unless it names a run or an agent. */
export const send: PrintingCommand = async ([first, second], { json }, io) => {
	const isRefFirst = second !== undefined || (first !== undefined && isRef(first, isRunHere));
	const [ref, message] = isRefFirst ? [first, second] : [undefined, first];
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const text = await readMessage(message);
	const { arrives } = await askRun(target, { request: { say: "send", agent, text }, answer: "sent" }, io);
	if (json) printJson(io, { run, agent, arrives });
	else io.stdout(`sent to agent ${run}/${agent}: ${describeArrival(arrives)}\n`);
	return 0;
};

/** `argument`: undefined or `-` for a message on stdin. */
async function readMessage(argument: string | undefined): Promise<string> {
	try {
		requireTask(argument);
	} catch {
		throw usage('no message: give it as an argument, as in agent send 1.2 "look at the tests", or pipe it in');
	}
	const { task: text } = await readTask(argument, "never");
	if (text.trim() === "") throw usage("the message is empty");
	if (text.length <= MAX_MESSAGE_CHARS) return text;
	throw usage(
		`the message has ${text.length} characters, at most ${MAX_MESSAGE_CHARS}: put it in a file and send its path`,
	);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
