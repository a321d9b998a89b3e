/**
 * Commands that leave the sandbox of their agent by a person's yes (`agent ask --run`). Exactly what the person was shown is run, with the
 * environment of the agent's commands and nothing of the process that asked, in a process that the supervisor starts and that belongs to the agent.
 * It lives no longer than the connection over which it was asked for.
 */

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mayBeAsked, SKIPPED } from "../../core/ask-mode.ts";
import { type CommandEnd, outsideLog } from "../../core/bash-call.ts";
import { defined } from "../../core/defined.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { type AgentId, isOver, isWithin, withAncestors } from "../../core/model/agent.ts";
import { besideCookie } from "../../core/run/cookie.ts";
import { pipesDirectory, proxySocket } from "../../core/run/pipe-path.ts";
import { saidNo } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { makeFifos } from "../../processes/fifo.ts";
import { agentDirectory } from "../../record/run-directory.ts";
import type { FromOutsideRunner, OutsideOrder, OutsideSandbox } from "../../wire/outside-messages.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { OutsideRunner } from "../processes/start-processes.ts";
import type { Caller } from "../proxy/requests.ts";
import type { RegisteredAgent } from "../run/agent-registry.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import { type CommandPermission, notDone } from "./command-permission.ts";
import { checkedRequest, isStillThere, type OutsideAsked, type OutsideRequest } from "./outside-request.ts";
import type { Questioner } from "./questioner.ts";

const MAX_AT_ONCE = 16; // a process of Node each

type Client = Pick<Watcher, "send">;
type Ended = Extract<FromOutsideRunner, { say: "ended" }>;

interface Parts {
	readonly questioner: Questioner;
	readonly permission: CommandPermission;
	readonly sandboxes: Sandboxes;
}

/** What is asked for. */
interface AskedRun {
	readonly agent: AgentId;
	/** The number of the agent's command that asks. */
	readonly command: number;
	readonly what: OutsideAsked;
	readonly question?: number | undefined;
}

/** From a yes to the end. */
interface Run extends AskedRun {
	readonly is: "run";
	/** 1, 2, … of the run. */
	readonly number: number;
	runner?: OutsideRunner;
	/** The token with which it reaches more hosts than its agent. */
	lent?: { readonly token: string; readonly caller: Caller };
	/** It waits for the process that asked. */
	isOpened: boolean;
	hasStarted: boolean;
}

type Standing = { readonly is: "asking"; readonly asker: Client } | Run;

export class OutsideRuns {
	private readonly core: RunCore;
	private readonly parts: Parts;
	private readonly clients = new Map<Client, Standing>();
	private readonly active = new Set<Run>();
	private readonly make: typeof makeFifos;
	private numbers: number;

	constructor(core: RunCore, parts: Parts, make = makeFifos) {
		this.core = core;
		this.parts = parts;
		this.make = make;
		this.numbers = core.run.outsideRuns ?? 0;
	}

	ask(client: Client, request: OutsideRequest, agent: AgentId): void {
		const { why } = request;
		const refuse = (reason: string) => client.send({ say: "refused", reason });
		const deny = (reason: string) => client.send({ say: "unanswered", reason });
		const command = commandOf(agent, request.inCommand, this.core.state);
		if (command === undefined) return refuse(`agent ${agent} has ended or is ending, and can no longer ask`);
		if (this.clients.has(client)) return refuse("one command at a time on a connection");
		const { settings, registry, run } = this.core;
		const { permission, questioner } = this.parts;
		const confinement = registry.get(agent)?.file.sandbox;
		const what = checkedRequest(request, { ...settings, confinement, whole: settings.sandbox?.confinement });
		if (typeof what === "string") return refuse(what);
		const denied = permission.denialOf(agent, what.command);
		if (denied !== undefined) return deny(denied);
		const mode = permission.modeOf(agent);
		if (mode === SKIPPED || isGranted(run, agent, what)) return this.allow(client, { agent, command, what });
		if (!mayBeAsked({ waits: settings.asking?.waits === true, mode })) {
			questioner.tellUnasked({ agent, what, why });
			return deny(notDone("a person must allow it, but nobody can be asked in this run"));
		}
		const asker = this.askerFor(client, { agent, command, what });
		this.clients.set(client, { is: "asking", asker });
		questioner.askAbout(asker, { agent, what, why });
	}

	isClient(client: Client): boolean {
		return this.clients.has(client);
	}

	/** The caller with the token of a command that reaches more hosts than its agent, for as long as that command runs. */
	callerOf(token: string): Caller | undefined {
		for (const { lent } of this.active) if (lent?.token === token) return lent.caller;
		return undefined;
	}

	/** The process that asked reads the pipe. */
	begin(client: Client): void {
		const standing = this.clients.get(client);
		if (standing?.is !== "run" || !standing.isOpened) return;
		standing.isOpened = false; // it runs once
		standing.runner?.say({ say: "run" });
	}

	/** The process that asked is gone. */
	closed(client: Client): void {
		const standing = this.clients.get(client);
		this.clients.delete(client);
		if (standing?.is === "asking") this.parts.questioner.closed(standing.asker);
		if (standing?.is === "run")
			standing.runner?.say({ say: "stop", reason: "the agent ask that requested it has ended" });
	}

	private askerFor(client: Client, asked: AskedRun): Client {
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
				this.allow(client, { ...asked, question });
			},
		};
	}

	private allow(client: Client, asked: AskedRun): void {
		this.numbers += 1;
		const run: Run = { is: "run", ...asked, number: this.numbers, isOpened: false, hasStarted: false };
		this.clients.set(client, run);
		if (this.active.size >= MAX_AT_ONCE)
			return this.end(
				client,
				run,
				notStarted(`${MAX_AT_ONCE} commands are already running outside the sandbox: ask again when one has ended`),
			);
		this.active.add(run);
		void this.open(client, run).catch((error: NodeJS.ErrnoException) => {
			if (error.code === undefined) throw error; // a bug
			this.end(client, run, notStarted(error.message));
		});
	}

	/** Has it prepared up to the pipe that the process that asked reads. */
	private async open(client: Client, run: Run): Promise<void> {
		const fail = (reason: string) => this.end(client, run, notStarted(reason));
		const { settings, machine } = this.core;
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
		const registered = this.core.registry.get(run.agent);
		if (registered === undefined) return fail(`agent ${run.agent} is over`);
		const order = this.orderFor(run, registered, pipe);
		const runner = machine.startOutside({ ...run, cookie: order.cookie, settings });
		run.runner = runner;
		runner.onSaid((message) => this.heard(client, run, message));
		void runner.over.then((why) => fail(why ?? "the process that ran it was killed"));
		runner.say(order);
	}

	/** It runs as the agent's commands do, and with nothing of the process that asked. */
	private orderFor(run: Run, registered: RegisteredAgent, pipe: string): OutsideOrder {
		const { settings, directory, shimDirectory } = this.core;
		const { agent, command, what, number } = run;
		const { socket, home, commandFiles: softFiles, env } = settings;
		return {
			...{ say: "order", command: what.command, cwd: what.directory, env, pipe, log: outsideLog(number) },
			place: { run: settings.run, agent, command, token: registered.token, socket, shimDirectory, home },
			cookie: outsideCookie(run, this.core.run),
			...{ pipesDirectory: pipesDirectory(socket), agentDirectory: agentDirectory(directory, agent) },
			...defined({ softFiles, sandbox: this.sandboxFor(run, registered) }),
		};
	}

	/** The agent's sandbox with more directories and hosts; undefined: outside of any. */
	private sandboxFor(run: Run, { id, token, file }: RegisteredAgent): OutsideSandbox | undefined {
		const { write, hosts } = run.what;
		if (file.sandbox === undefined || (write === undefined && hosts === undefined)) return undefined;
		const confinement = withMore(file.sandbox, defined({ write, hosts }));
		const sandbox = this.parts.sandboxes.sandboxOf(id, confinement, { isAside: true });
		const { program, args, filter, network, variables } = sandbox;
		if (hosts !== undefined)
			run.lent = { token: randomBytes(16).toString("hex"), caller: { agent: id, allowed: confinement.hosts } };
		const places = { proxySocket: proxySocket(this.core.settings.socket), proxyToken: run.lent?.token ?? token };
		return { program, args, confinement, variables, writes: write ?? [], ...defined({ filter, network }), ...places };
	}

	private heard(client: Client, run: Run, message: FromOutsideRunner): void {
		const { registry, emit, host } = this.core;
		switch (message.say) {
			case "prepared": {
				const file = registry.get(run.agent)?.file;
				const name = `outside-${run.number}`;
				const pipe = file === undefined ? undefined : this.parts.sandboxes.givePipe(run.agent, name, file);
				run.isOpened = pipe !== undefined;
				if (pipe !== undefined) return client.send({ say: "outside_opened", pipe });
				run.runner?.say({ say: "stop", reason: "" });
				return this.end(client, run, notStarted("no pipe for its output could be created"));
			}
			case "started":
				run.hasStarted = true;
				return emit(startedEvent(run, message, host.now()));
			case "ended":
				return this.end(client, run, message);
		}
	}

	/** The first end counts. What it has left running reaches nothing more with its token. */
	private end(client: Client, run: Run, { end, outputBytes, leftRunning }: Ended): void {
		const { agent, number: outside } = run;
		const left = [...leftRunning];
		const at = this.core.host.now();
		if (run.hasStarted)
			this.core.emit({ event: "outside_ended", at, agent, outside, end, outputBytes, leftRunning: left });
		run.hasStarted = false;
		this.active.delete(run);
		if (this.clients.get(client) !== run) return;
		this.clients.delete(client);
		client.send({ say: "outside_ended", end, leftRunning: left });
	}
}

/** The variables that mark its processes among all of the agent. */
function outsideCookie({ agent, command, number }: Run, run: RunState): Record<string, string> {
	const above = withAncestors(agent).reverse();
	const steps = above.slice(1).map((child, at) => `${above[at]}:${run.agents[child]?.command}`);
	return besideCookie({ run: run.run, agent, command }, `outside-${number}`, steps);
}

/** What is hidden or protected below a directory stays so. */
function withMore(own: Confinement, { write = [], hosts = [] }: Pick<OutsideAsked, "write" | "hosts">): Confinement {
	const mounts = [...own.mounts, ...write.map((path) => ({ path, as: "write" as const }))];
	return { ...own, mounts, ...(hosts.length > 0 && { network: "proxy" as const, hosts: [...own.hosts, ...hosts] }) };
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
