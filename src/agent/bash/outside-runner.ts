/**
 * The process that runs one command for an agent outside of that one's sandbox, after a person's yes. It is started by the supervisor,
 * since the agent and who asked may be inside, and ends with it: when the channel between the two closes, so does the command. What the
 * command prints goes to its log, and into a pipe that `agent ask` reads, no faster than that reads it.
 */
import { closeSync, constants, openSync, realpathSync } from "node:fs";
import { Socket } from "node:net";
import { closeInheritedFiles } from "../../processes/child-process.ts";
import { GRACE_MS } from "../../processes/table/end-processes.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { FromOutsideRunner, OutsideOrder, OutsideSandbox, ToOutsideRunner } from "../../wire/outside-messages.ts";
import { openNetwork } from "../network/namespaces.ts";
import { type RunningBash, startCommand } from "./bash.ts";
import { bubblewrapShell } from "./bubblewrap-shell.ts";
import { processesOf } from "./command-processes.ts";
import { commandEnvironment } from "./environment.ts";
import { createPipes, type Pipes } from "./pipe.ts";
import { type Sandbox, type StartedShell, unconfined } from "./start-shell.ts";

const NO_TIMEOUT_MS = 2 ** 31 - 1; // the longest that a timer of Node takes; the command that asks has its own
const LOOK_MS = 5_000;

/** A command, from the opening of its pipe to the end of all that it has started. */
class Outside {
	private readonly order: OutsideOrder;
	/** Keeps the pipe open until who asked reads it. */
	private readonly opened: number;
	private running: RunningBash | undefined;
	private shell: StartedShell | undefined;
	private hasEnded = false;

	constructor(order: OutsideOrder) {
		this.order = order;
		const { O_RDWR, O_NONBLOCK, O_NOFOLLOW } = constants;
		this.opened = openSync(order.pipe, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
		tell({ say: "prepared" });
	}

	async run(): Promise<void> {
		const to = this.openPipe();
		const moved = this.movedPlace();
		if (moved !== undefined) return this.refuse(`${moved} has changed since the question`, to);
		this.running = startCommand(this.spec(to));
		const { end, outputBytes, leftRunning } = await this.running.ended;
		await closed(to);
		this.hasEnded = true;
		tell({ say: "ended", end, outputBytes, leftRunning });
		if (leftRunning.length === 0) leave();
		else this.awaitLeft();
	}

	/** A place that who asked may have put a link in the way to. From here on this process is in the directory itself, whatever its name leads to. */
	private movedPlace(): string | undefined {
		const { cwd, sandbox } = this.order;
		try {
			process.chdir(cwd);
			if (process.cwd() !== cwd) return cwd;
			return sandbox?.writes.find((path) => realpathSync(path) !== path);
		} catch {
			return cwd;
		}
	}

	private refuse(reason: string, to: Socket): void {
		to.destroy();
		tell({ say: "ended", end: { by: "not_started", reason }, outputBytes: 0, leftRunning: [] });
		leave();
	}

	stop(reason: string): void {
		if (this.running === undefined) leave();
		else if (this.hasEnded) void this.processes()?.endAll(GRACE_MS).then(leave);
		else this.running.stop(reason);
	}

	private openPipe(): Socket {
		const fd = openSync(`/proc/self/fd/${this.opened}`, constants.O_WRONLY | constants.O_NONBLOCK);
		closeSync(this.opened); // from now on the pipe tells when nobody reads it any more
		const to = new Socket({ fd, readable: false, writable: true });
		to.on("error", () => {}); // who asked is gone, which the supervisor sees
		return to;
	}

	private spec(to: Socket): Parameters<typeof startCommand>[0] {
		const { command, cwd, place, agentDirectory, log, softFiles, sandbox } = this.order;
		const owner = `${place.agent}-${log.replace(/\W/g, "-")}`;
		return {
			...{ number: place.command, command, timeoutMs: NO_TIMEOUT_MS, agentDirectory, log },
			cwd: sandbox === undefined ? "." : cwd,
			...this.surroundings(),
			sandbox: this.remembering(sandbox === undefined ? unconfined : inSandbox(sandbox, owner)),
			pipes: this.pipes(),
			...(softFiles !== undefined && { softFiles }),
			onStarted: (started) => tell({ say: "started", ...started }),
			onOutput: (chunk) => passed(to, chunk),
		};
	}

	/** For what is left when the command is over. */
	private remembering(sandbox: Sandbox): Sandbox {
		return {
			start: async (command) => {
				const started = await sandbox.start(command);
				if (started.is === "started") this.shell = started;
				return started;
			},
		};
	}

	/** Of one command. */
	private pipes(): Pipes {
		const { pipesDirectory, place, log } = this.order;
		const owner = `${place.agent}-${process.pid}-${log.replace(/\W/g, "-")}`;
		const made = createPipes(pipesDirectory, { owner, given: [] });
		const take = () => made.take().finally(made.discard);
		return { take, prepare: async () => {}, discard: made.discard };
	}

	/** Those of the command, by what its processes can be told from others. */
	private surroundings() {
		const { env, place, cookie } = this.order;
		return { table: openProcessTable(env), env: { ...commandEnvironment(env, place), ...cookie } };
	}

	private processes() {
		return this.shell && processesOf(this.shell, this.surroundings());
	}

	/** What it left running goes on, and its pipe is read, as long as the agent lives. */
	private awaitLeft(): void {
		const look = async () => {
			const left = (await this.processes()?.leftRunning()) ?? [];
			if (left.length === 0) return leave();
			setTimeout(look, LOOK_MS).unref();
		};
		setTimeout(look, LOOK_MS).unref();
	}
}

/** Its caches are empty: the layers of the run are mounted for the commands of its agents alone. */
function inSandbox({ network, proxySocket, proxyToken, ...made }: OutsideSandbox, owner: string): Sandbox {
	const { program } = made;
	const proxy = network === "proxy" ? { proxySocket, token: proxyToken } : undefined;
	return bubblewrapShell({ ...made, pipesDirectory: "" }, () => import("./explain-refusal.ts"), {
		owner,
		...(network !== undefined && { network: openNetwork({ program, proxy }) }),
	});
}

/** Undefined: more may come at once. */
function passed(to: Socket, chunk: Uint8Array): Promise<void> | undefined {
	if (to.destroyed || to.write(Buffer.from(chunk))) return undefined;
	return new Promise((resolve) => {
		const done = () => {
			to.off("drain", done);
			to.off("close", done);
			resolve();
		};
		to.on("drain", done);
		to.on("close", done);
	});
}

/** Once all is written, or nobody reads any more. */
function closed(to: Socket): Promise<void> {
	return new Promise((resolve) => {
		if (to.closed) return resolve();
		to.once("close", () => resolve());
		to.end();
	});
}

function tell(message: FromOutsideRunner): void {
	if (process.connected) process.send?.(message);
}

/** Nothing else keeps the process. */
function leave(): void {
	if (process.connected) process.disconnect();
}

let outside: Outside | undefined;

process.on("SIGUSR1", () => {}); // without a listener Node opens its debugger, to every user of this machine
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
	process.on(name, () => (outside === undefined ? leave() : outside.stop(`got ${name}`)));
process.on("disconnect", () => outside?.stop("the supervisor of the run is gone"));
process.on("message", (message) => {
	const said = message as ToOutsideRunner;
	switch (said.say) {
		case "order":
			closeInheritedFiles(); // those of the person's shell
			outside = new Outside(said);
			return;
		case "run":
			return void outside?.run();
		case "stop":
			return outside?.stop(said.reason);
	}
});
