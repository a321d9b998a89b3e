/** A run of the whole program against the service on 127.0.0.1, whose answers are told by task and turn. */
import { onTestFinished } from "vitest";
import type { AssistantBlock, ToolUseBlock } from "../../../src/core/model/message.ts";
import { type FakeAnswer, type FakeApi, type RecordedRequest, startFakeApi } from "../../fixtures/fake-api.ts";
import { type Program, type ProgramOptions, startProgram } from "../program.ts";

export const KEY = "sk-ant-dummy-4f1d9c7e";

/** For each task the answers of its agent, turn by turn. */
export type Answers = Record<string, readonly (FakeAnswer | ((request: RecordedRequest) => FakeAnswer))[]>;

export async function startService(answers: Answers): Promise<FakeApi> {
	const api = await startFakeApi((request) => {
		const turns = request.body.messages.filter(({ role }) => role === "assistant").length;
		const answer = answers[taskOf(request)]?.[turns];
		if (answer === undefined) return { content: [says(`no answer for ${taskOf(request)}, turn ${turns + 1}`)] };
		return typeof answer === "function" ? answer(request) : answer;
	});
	onTestFinished(() => api.close());
	return api;
}

/** `agent run …` with the key and the service's address in its environment. */
export async function startApiRun(
	answers: Answers,
	args: readonly string[],
	options: ProgramOptions = {},
): Promise<{ api: FakeApi; program: Program }> {
	const api = await startService(answers);
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url, ...options.env };
	return { api, program: startProgram(["run", ...args], { ...options, env }) };
}

export async function endOf(
	program: Program,
): Promise<{ exit: number | string | null; stdout: string; stderr: string }> {
	const { code, signal, stdout, stderr } = await program.ended;
	return { exit: code ?? signal, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
}

export function taskOf({ body }: RecordedRequest): string {
	const first = body.messages[0]?.content[0];
	return first?.type === "text" ? first.text : "";
}

export function requestsOf(api: FakeApi, task: string): RecordedRequest[] {
	return api.requests.filter((request) => taskOf(request) === task);
}

export function says(text: string): AssistantBlock {
	return { type: "text", text };
}

export function runs(id: string, command: string): ToolUseBlock {
	return { type: "tool_use", id, name: "bash", input: { command } };
}
