/**
 * The namespaces in which an agent's commands are started. They live as long as this process. A network of their own has a loopback that the
 * commands share, so what one of them serves another one reaches, and, where hosts may be reached, a proxy. Agent 1 makes the namespace in
 * which the layers of a run are mounted.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { Server } from "node:net";
import { childProcess } from "../../processes/child-process.ts";
import { findNsenter, NO_NSENTER } from "../../sandbox/find-nsenter.ts";
import { LAYER_CAPABILITIES, LAYER_ENVIRONMENT, layerArgs, layered } from "../../sandbox/layers.ts";
import { type BridgeOptions, bridge } from "./bridge.ts";
import { keepFresh, type Within } from "./keep-fresh.ts";
import { PROXY_ADDRESS, PROXY_VARIABLES } from "./proxy-variables.ts";

const WITHIN_MS = 20_000;
const MAX_REFUSED = 16;
const MAX_SAID = 4096;

export interface OwnNetwork extends Within {
	readonly is: "open";
	readonly variables: Readonly<Record<string, string>>;
	/** Those since it was last asked. */
	takeRefusedHosts(): readonly string[];
}

/** `reason`: for the model. A command that should be in a network of its own must not be started then. */
export type OpenedNetwork = OwnNetwork | { readonly is: "failed"; readonly reason: string };

export interface NetworkOptions {
	/** bwrap. */
	readonly program: string;
	/** The table of what is mounted in the namespace that goes with the network, for an agent that is in no sandbox. */
	readonly layers?: string | undefined;
	/** Without it no host is reached. */
	readonly proxy?: Pick<BridgeOptions, "proxySocket" | "token"> | undefined;
}

/** Never rejects. */
export async function openNetwork({ program, proxy, layers }: NetworkOptions): Promise<OpenedNetwork> {
	const nsenter = findNsenter();
	if (nsenter === undefined) return failed(NO_NSENTER);
	const listener = [process.execPath, "-e", LISTEN];
	const inside = childProcess().spawn(
		program,
		layers === undefined
			? [...ARGS, "--", ...listener]
			: [...ARGS, ...LAYER_CAPABILITIES, "--", ...layered(layers, ...listener)],
		{
			stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
			env: LAYER_ENVIRONMENT,
		},
	);
	const files: number[] = [];
	try {
		const { server, pid } = await started(inside);
		for (const name of ["user", "net", "mnt"]) files.push(openSync(`/proc/${pid}/ns/${name}`, "r"));
		const [user = -1, net = -1, mount = -1] = files;
		if (fstatSync(net).ino === statSync("/proc/self/ns/net").ino) throw new Error("it is that of the agent");
		const refused = new Set<string>();
		const onRefused = (host: string) => void (refused.size < MAX_REFUSED && refused.add(host));
		if (proxy === undefined) server.close();
		else bridge(server, { ...proxy, onRefused });
		const pathOf = (file: number) => `/proc/${process.pid}/fd/${file}`; // open here alone: nothing that runs inside has it
		const enter = [
			...[nsenter, `--user=${pathOf(user)}`, `--net=${pathOf(net)}`],
			...(layers === undefined ? [] : [`--mount=${pathOf(mount)}`]),
			...["--preserve-credentials", "--"],
		];
		return {
			is: "open",
			enter,
			...(layers !== undefined && { keepFresh: keepFresh(enter) }),
			variables: proxy === undefined ? {} : PROXY_VARIABLES,
			takeRefusedHosts: () => {
				const hosts = [...refused];
				refused.clear();
				return hosts;
			},
		};
	} catch (error) {
		for (const file of files) closeSync(file);
		return failed((error as Error).message);
	} finally {
		inside.kill("SIGKILL");
	}
}

function failed(reason: string): OpenedNetwork {
	return { is: "failed", reason: `no network of its own could be made for the command: ${reason}` };
}

/**
 * Makes the socket on which an agent's commands find their proxy. A socket belongs to the network in which it is made, whoever accepts on it
 * later: so this process runs in that network, gives the socket to the agent, and is over.
 */
const LISTEN = `const server = require("node:net").createServer(); server.listen(${JSON.stringify(PROXY_ADDRESS)}, () => process.send({}, server))`;

/** bwrap brings the loopback up. `/dev` with its files, all else as the agent has it: the program is ours. */
const ARGS = ["--unshare-user", "--unshare-net", "--die-with-parent", "--info-fd", "4", "--dev-bind", "/", "/"];

/** The socket that listens inside, and a process that is inside, by the agent's numbers. */
function started(inside: ChildProcess): Promise<{ server: Server; pid: number }> {
	return new Promise((resolve, reject) => {
		if (inside.pid === undefined) return void inside.once("error", reject); // it has no pipes
		let [info, said] = ["", ""];
		let listening: Server | undefined;
		const fail = (why: string) => reject(new Error(said.trim().split("\n")[0] || why));
		const late = setTimeout(() => fail(`nothing listened within ${WITHIN_MS / 1_000} s`), WITHIN_MS);
		const look = () => {
			const [, pid] = /"child-pid":\s*(\d+)\D/.exec(info) ?? [];
			if (pid === undefined || listening === undefined) return;
			clearTimeout(late);
			resolve({ server: listening, pid: Number(pid) });
		};
		inside.stderr?.on("data", (chunk: Buffer) => {
			if (said.length < MAX_SAID) said += chunk.toString();
		});
		inside.stdio[4]?.on("data", (chunk: Buffer) => {
			info += chunk.toString();
			look();
		});
		inside.on("message", (_message, handle) => {
			listening = handle instanceof Server ? handle : undefined;
			look();
		});
		inside.once("error", (error) => fail(error.message));
		inside.once("close", (code) => {
			clearTimeout(late);
			fail(`bwrap ended with status ${code}`);
		});
	});
}

/** Never rejects: without a namespace there are no layers, and the sandbox of a command cannot be made where it needs them. */
export async function openLayers(program: string, layers: string): Promise<Within> {
	const nsenter = findNsenter();
	if (nsenter === undefined) return { enter: [] };
	const inside = childProcess().spawn(program, layerArgs(layers), {
		...{ env: LAYER_ENVIRONMENT, stdio: ["pipe", "pipe", "ignore"] },
	});
	try {
		const pid = await pidOf(inside);
		const [user, mount] = ["user", "mnt"].map((name) => openSync(`/proc/${pid}/ns/${name}`, "r"));
		const pathOf = (file: number | undefined) => `/proc/${process.pid}/fd/${file}`; // open here alone: nothing that runs inside has it
		const enter = [nsenter, `--user=${pathOf(user)}`, `--mount=${pathOf(mount)}`, "--preserve-credentials", "--"];
		return { enter, keepFresh: keepFresh(enter) };
	} catch {
		return { enter: [] };
	} finally {
		inside.kill("SIGKILL");
	}
}

function pidOf(inside: ChildProcess): Promise<number> {
	return new Promise((resolve, reject) => {
		let told = "";
		const late = setTimeout(() => reject(new Error("late")), WITHIN_MS);
		inside.stdin?.on("error", () => {}); // its end says it all
		inside.stdout?.on("data", (chunk: Buffer) => {
			told += chunk.toString();
			const [, pid] = /^pid (\d+)$/m.exec(told) ?? [];
			if (pid !== undefined) resolve(Number(pid));
		});
		inside.once("error", reject);
		inside.once("close", () => {
			clearTimeout(late);
			reject(new Error("it has ended"));
		});
	});
}
