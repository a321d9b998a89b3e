/**
 * Commands that leave the sandbox of their agent by a person's yes (`agent ask --run`). Exactly what the person was shown is run, with the
 * environment of the agent's commands and nothing of who asked, in a process that the supervisor starts and that belongs to the agent.
 * It lives no longer than the connection over which it was asked for.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mayBeAsked, SKIPPED } from "../../core/ask-mode.ts";
import { type CommandEnd, outsideLog } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { type AgentId, isOver, isWithin } from "../../core/model/agent.ts";
import { pipesDirectory } from "../../core/run/pipe-path.ts";
import { saidNo } from "../../core/run/questions.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { makeFifos } from "../../processes/fifo.ts";
import type { FromOutsideRunner } from "../../wire/outside-messages.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Machine } from "../processes/machine.ts";
import type { OutsideRunner } from "../processes/start/outside-runner.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import { type CommandPermission, notDone } from "./command-permission.ts";
import { type AllowedRun, type OutsideOrderDeps, outsideOrder } from "./outside-order.ts";
import { checkedRequest, isStillThere, type OutsideAsked, type OutsideRequest } from "./outside-request.ts";
import type { Questioner } from "./questioner.ts";

const MAX_AT_ONCE = 16; // a process of Node each; others wait

type Client = Pick<Watcher, "send">;
type Ended = Extract<FromOutsideRunner, { say: "ended" }>;

export interface OutsideRunsDeps extends Omit<OutsideOrderDeps, "run"> {
	readonly questioner: Pick<Questioner, "askAbout" | "closed" | "tellUnasked">;
	readonly permission: Pick<CommandPermission, "denialOf" | "modeOf">;
	readonly machine: Pick<Machine, "startOutside">;
	readonly sandboxes: Pick<Sandboxes, "sandboxOf" | "givePipe">;
	readonly state: () => SupervisorState;
	readonly emit: (event: RunEvent) => void;
	readonly now: () => number;
}

/** From a yes to the end. */
interface Run extends AllowedRun {
	readonly is: "run";
	readonly question: number | undefined;
	runner?: OutsideRunner;
	/** It waits for who asked. */
	isOpened: boolean;
	hasStarted: boolean;
}

type Standing = { readonly is: "asking"; readonly asker: Client } | Run;

export class OutsideRuns {
	private readonly deps: OutsideRunsDeps;
	private readonly clients = new Map<Client, Standing>();
	/** They wait until others have ended. */
	private readonly allowed: { readonly client: Client; readonly run: Run }[] = [];
	private readonly active = new Set<Run>();
	private readonly make: typeof makeFifos;
	private numbers: number;

	constructor(deps: OutsideRunsDeps, make = makeFifos) {
		this.deps = deps;
		this.make = make;
		this.numbers = deps.state().run.outsideRuns ?? 0;
	}

	ask(client: Client, request: OutsideRequest, agent: AgentId): void {
		const { why } = request;
		const refuse = (reason: string) => client.send({ say: "refused", reason });
		const deny = (reason: string) => client.send({ say: "unanswered", reason });
		const command = commandOf(agent, request.inCommand, this.deps.state());
		if (command === undefined) return refuse(`agent ${agent} has ended or is ending, and can no longer ask`);
		if (this.clients.has(client)) return refuse("one command at a time on a connection");
		const { settings, registry, permission, questioner } = this.deps;
		const confinement = registry.get(agent)?.file.sandbox;
		const checked = checkedRequest(request, { ...settings, confinement, whole: settings.sandbox?.confinement });
		if (checked.is === "refused") return refuse(checked.reason);
		const { what } = checked;
		const denied = permission.denialOf(agent, what.command);
		if (denied !== undefined) return deny(denied);
		const mode = permission.modeOf(agent);
		if (mode === SKIPPED || isGranted(this.deps.state().run, agent, what))
			return this.allow(client, { agent, command, what });
		if (!mayBeAsked({ waits: settings.asking?.waits === true, mode })) {
			questioner.tellUnasked({ agent, what, why });
			return deny(notDone("a person would have to allow it, and this run asks nobody"));
		}
		const asker = this.askerFor(client, { agent, command, what });
		this.clients.set(client, { is: "asking", asker });
		questioner.askAbout(asker, { agent, what, why });
	}

	isClient(client: Client): boolean {
		return this.clients.has(client);
	}

	/** Who asked reads the pipe. */
	begin(client: Client): void {
		const standing = this.clients.get(client);
		if (standing?.is !== "run" || !standing.isOpened) return;
		standing.isOpened = false; // it runs once
		standing.runner?.say({ say: "run" });
	}

	/** Who asked is gone. */
	closed(client: Client): void {
		const standing = this.clients.get(client);
		this.clients.delete(client);
		if (standing?.is === "asking") this.deps.questioner.closed(standing.asker);
		if (standing?.is === "run")
			standing.runner?.say({ say: "stop", reason: "the agent ask that requested it has ended" });
	}

	private askerFor(client: Client, of: Pick<Run, "agent" | "command" | "what">): Client {
		let question: number | undefined;
		return {
			send: (message) => {
				if (message.say === "asked") question = message.question;
				if (message.say === "asked") return client.send(message);
				this.clients.delete(client);
				if (message.say === "unanswered") return client.send({ ...message, reason: notDone(message.reason) });
				if (message.say !== "answered") return client.send(message);
				const no = saidNo(message.answer);
				if (no !== undefined) return client.send({ say: "unanswered", reason: notDone(no) });
				this.allow(client, { ...of, question });
			},
		};
	}

	private allow(client: Client, of: Pick<Run, "agent" | "command" | "what"> & { question?: number | undefined }): void {
		this.numbers += 1;
		const run: Run = {
			is: "run",
			number: this.numbers,
			question: undefined,
			isOpened: false,
			hasStarted: false,
			...of,
		};
		this.clients.set(client, run);
		this.allowed.push({ client, run });
		this.startNext();
	}

	private startNext(): void {
		while (this.active.size < MAX_AT_ONCE) {
			const next = this.allowed.shift();
			if (next === undefined) return;
			const { client, run } = next;
			if (this.clients.get(client) !== run) continue;
			this.active.add(run);
			void this.open(client, run).catch((error: NodeJS.ErrnoException) => {
				if (error.code === undefined) throw error; // a bug
				this.end(client, run, notStarted(error.message));
			});
		}
	}

	/** Has it prepared up to the pipe that who asked reads. */
	private async open(client: Client, run: Run): Promise<void> {
		const fail = (reason: string) => this.end(client, run, notStarted(reason));
		const { settings, machine } = this.deps;
		if (!isStillThere(run.what.directory))
			return fail(`the directory ${run.what.directory} has changed since the question`);
		const directory = pipesDirectory(settings.socket);
		const pipe = join(directory, `outside-${run.number}`);
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		rmSync(pipe, { force: true });
		const failure = await this.make([pipe]);
		if (failure !== undefined) return fail(failure.reason);
		if (this.clients.get(client) !== run) {
			rmSync(pipe, { force: true });
			return fail("the process that asked is gone");
		}
		const order = outsideOrder(run, pipe, { ...this.deps, run: this.deps.state().run });
		if (order === undefined) return fail(`agent ${run.agent} is over`);
		const runner = machine.startOutside({ ...run, cookie: order.cookie, settings });
		run.runner = runner;
		runner.onSaid((message) => this.heard(client, run, message));
		void runner.over.then((why) => fail(why ?? "the process that ran it was killed"));
		runner.say(order);
	}

	private heard(client: Client, run: Run, message: FromOutsideRunner): void {
		const { sandboxes, registry, emit, now } = this.deps;
		switch (message.say) {
			case "prepared": {
				const file = registry.get(run.agent)?.file;
				const pipe = file === undefined ? undefined : sandboxes.givePipe(run.agent, `outside-${run.number}`, file);
				run.isOpened = pipe !== undefined;
				if (pipe !== undefined) return client.send({ say: "outside_opened", pipe });
				run.runner?.say({ say: "stop", reason: "" });
				return this.end(client, run, notStarted("no pipe for its output could be created"));
			}
			case "started":
				run.hasStarted = true;
				return emit(startedEvent(run, message, now()));
			case "ended":
				return this.end(client, run, message);
		}
	}

	/** The first end counts. */
	private end(client: Client, run: Run, { end, outputBytes, leftRunning }: Ended): void {
		const { agent, number: outside } = run;
		const left = [...leftRunning];
		if (run.hasStarted)
			this.deps.emit({
				event: "outside_ended",
				at: this.deps.now(),
				agent,
				outside,
				end,
				outputBytes,
				leftRunning: left,
			});
		run.hasStarted = false;
		this.deps.lender.forget(outside);
		if (this.active.delete(run)) this.startNext();
		if (this.clients.get(client) !== run) return;
		this.clients.delete(client);
		client.send({ say: "outside_ended", end, leftRunning: left });
	}
}

function notStarted(reason: string): Ended {
	return { say: "ended", end: { by: "not_started", reason } satisfies CommandEnd, outputBytes: 0, leftRunning: [] };
}

type Started = Extract<FromOutsideRunner, { say: "started" }>;

function startedEvent(
	{ agent, number: outside, question, what }: Run,
	{ pid, startTime }: Started,
	at: number,
): RunEvent {
	const { command: text, directory, write, hosts } = what;
	const of = { agent, outside, text, directory, ...defined({ question, write, hosts }) };
	return { event: "outside_started", at, ...of, pid, startTime, log: outsideLog(outside) };
}

/** What of the run's state decides on a command that is to leave the sandbox. Pure. */

/** A person has allowed the agent, or one above it, this very command in this directory for always. */
function isGranted({ grants = [] }: RunState, agent: AgentId, { directory, rule }: OutsideAsked): boolean {
	return grants.some(
		(grant) =>
			grant.outsideIn === directory && rule !== undefined && grant.rule === rule && isWithin(agent, grant.agent),
	);
}

/** Of the agent's running commands the one that is named, else the newest; undefined of an agent that asks nothing more. */
function commandOf(
	id: AgentId,
	inCommand: number | undefined,
	{ run, stops }: Pick<SupervisorState, "run" | "stops">,
): number | undefined {
	const agent = run.agents[id];
	if (agent === undefined || isOver(agent) || stops.has(id)) return undefined;
	const named = agent.running.find(({ command }) => command === inCommand);
	return (named ?? agent.running.at(-1))?.command ?? agent.commands;
}
