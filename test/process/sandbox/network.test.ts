/** The network of a command in a sandbox: real clients in a namespace of their own, and real servers outside of it. */
import { spawn, spawnSync } from "node:child_process";
import {
	createReadStream,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openNetwork } from "../../../src/agent/network/namespaces.ts";
import { probeSandbox } from "../../../src/sandbox/probe.ts";
import { missing } from "../namespace.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX } from "./no-sandbox.ts";
import { startProxy, startServer } from "./proxy-client.ts";

const NOT_HERE = NO_SANDBOX ?? missing("nsenter", "curl", "git");
const SKIPPED = NOT_HERE === undefined ? "" : ` (skipped: ${NOT_HERE})`;

function temporary(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-network-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

/** A network of its own with a proxy that lets agent 1 to a server by the name `allowed.test`. */
async function inside(listener?: Parameters<typeof startServer>[0], token = "one") {
	const { port } = await startServer(listener);
	const callers = { one: { agent: "1", allowed: [`allowed.test:${port}`, `127.0.0.1:${port}`] } };
	const proxy = await startProxy(callers, { "allowed.test": [["127.0.0.1"]] });
	const probed = probeSandbox(process.env);
	const program = probed.is === "found" ? probed.program : "";
	const opened = await openNetwork({
		program,
		proxy: { proxySocket: proxy.proxySocket, token },
	});
	if (opened.is === "failed") throw new Error(opened.reason);
	const run = (script: string): Promise<string> => {
		const [nsenter = "", ...args] = [...opened.enter, "bash", "-c", script];
		const env = { PATH: process.env.PATH, HOME: temporary(), PORT: String(port), ...opened.variables };
		const child = spawn(nsenter, args, { env, stdio: ["ignore", "pipe", "pipe"] });
		let said = "";
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
		return new Promise((resolve) => child.once("close", () => resolve(said)));
	};
	return { run, port, proxy, opened };
}

const NODE_CLIENT = `
const [host, port] = process.argv.slice(-2);
const proxy = new URL(process.env.https_proxy);
const asked = require("node:http").request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: host + ":" + port });
asked.on("connect", ({ statusCode, statusMessage }, socket) => {
	if (statusCode !== 200) return console.log(statusCode, statusMessage);
	require("node:http").get({ createConnection: () => socket, path: "/by-node", headers: { host } }, (got) => got.pipe(process.stdout));
});
asked.end();`;

describe.skipIf(NOT_HERE !== undefined)(`a network of its own${SKIPPED}`, () => {
	test("curl reaches an allowed host, plain and by a tunnel, and nothing past the proxy", async () => {
		const { run, port } = await inside();
		const said = await run(`
			curl -sS http://allowed.test:$PORT/plain; echo
			curl -sSp -d body http://allowed.test:$PORT/tunnel; echo
			curl -sS --noproxy '*' http://127.0.0.1:$PORT/ 2>&1 | sed 's/ after .*//'
			curl -sS --noproxy '*' --resolve allowed.test:$PORT:127.0.0.1 http://allowed.test:$PORT/ 2>&1 | sed 's/ after .*//'
			curl -sS --noproxy '*' --connect-timeout 2 http://1.1.1.1/ 2>&1 | sed 's/ after .*//'`);
		expect(said.trim().split("\n")).toEqual([
			`GET /plain host=allowed.test:${port} body=`,
			`POST /tunnel host=allowed.test:${port} body=body`,
			`curl: (7) Failed to connect to 127.0.0.1 port ${port}`,
			`curl: (7) Failed to connect to allowed.test port ${port}`,
			"curl: (7) Failed to connect to 1.1.1.1 port 80",
		]);
	});

	test("node reaches an allowed host, and is told why another one is refused", async () => {
		const { run, opened, proxy } = await inside();
		const script = join(temporary(), "client.cjs");
		writeFileSync(script, NODE_CLIENT);
		const node = `'${process.execPath}' '${script}'`;
		expect(await run(`${node} allowed.test $PORT`)).toMatch(/^GET \/by-node host=allowed\.test body=/);
		const refused = await run(
			`${node} evil.org 443; curl -s http://evil.org/ -o /dev/null; curl -s https://evil.org:8443`,
		);
		expect(refused).toMatch(/^403 Refused by agentree: evil\.org is not an allowed host .* --allow-host evil\.org\n$/);
		expect(opened.takeRefusedHosts()).toEqual(["evil.org", "evil.org:8443"]);
		expect(opened.takeRefusedHosts()).toEqual([]);
		expect(proxy.events).toHaveLength(3);
	});

	test("git clones from an allowed host", async () => {
		const directory = temporary();
		const git = (...args: string[]) =>
			spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: directory });
		git("init", "-q", "made");
		git("-C", "made", "commit", "-q", "--allow-empty", "-m", "from outside");
		git("clone", "-q", "--bare", "made", "served.git");
		git("-C", "served.git", "update-server-info");
		const { run } = await inside((asked, answer) => {
			const path = join(directory, new URL(asked.url ?? "", "http://x").pathname);
			if (!existsSync(path) || !statSync(path).isFile()) return void answer.writeHead(404).end();
			createReadStream(path).pipe(answer);
		});
		expect(
			await run("git clone -q http://allowed.test:$PORT/served.git got && git -C got log --format=%s; rm -rf got"),
		).toBe("from outside\n");
		expect(await run("git clone -q http://evil.org/served.git got")).toMatch(/403/);
	});

	test("what one command serves another one reaches, and no command of another agent", async () => {
		const [{ run }, other] = [await inside(), await inside()];
		const serve = `require("node:http").createServer((_, a) => { a.end("served inside\\n"); setImmediate(() => process.exit()); }).listen(8080, "127.0.0.1", () => console.log("ready"))`;
		const ask = "for _ in $(seq 100); do curl -s http://localhost:8080/ && break; sleep 0.1; done";
		const served = run(`'${process.execPath}' -e '${serve}'`);
		expect(await other.run("curl -sS http://localhost:8080/ 2>&1 | sed 's/ after .*//'")).toBe(
			"curl: (7) Failed to connect to localhost port 8080\n",
		);
		expect(await run(ask)).toBe("served inside\n");
		await served;
	});

	test("a hundred clients at once all get their answer", async () => {
		const { run } = await inside();
		const said = await run("seq 100 | xargs -P 100 -I N curl -sS http://allowed.test:$PORT/N");
		expect(said.match(/GET \/\d+ host=/g)).toHaveLength(100);
	}, 60_000);

	test("who is not let in to the proxy is told at once", async () => {
		const { run } = await inside(undefined, "of nobody");
		expect(await run("curl -sS -m 20 http://allowed.test/ 2>&1")).toMatch(/^curl: \((52|56)\) /);
	});

	test("where none can be made, that is a reason and no network at all", async () => {
		const nowhere = await openNetwork({ program: "/nowhere/bwrap" });
		expect(nowhere).toEqual({ is: "failed", reason: expect.stringContaining("ENOENT") });
		const wrong = await openNetwork({ program: "/bin/false" });
		expect(wrong).toEqual({ is: "failed", reason: expect.stringContaining("status 1") });
	});
});

describe.skipIf(NOT_HERE !== undefined)(`the network of a run${SKIPPED}`, () => {
	const ask = (port: number) => `curl -sS --noproxy '' http://localhost:${port}/x -w '\\n'`;

	test("is that of the hosts that are named, for an agent and for those below it, and a child narrows it alone", async () => {
		const { port } = await startServer();
		const narrowed = ["", "--allow-host other.org ", `--allow-host 'localhost:*' `, "--net host ", "--net none "];
		const children = narrowed.map(
			(options) => `agent ${options}"${ask(port)} 2>&1 | sed 's/ after .*//'; true" 2>/dev/null`,
		);
		const command = [ask(port), ...children].join("; ");
		const args = ["run", "-q", "--model", "shell", "--allow-host", `localhost:${port}`, command];
		const { exit, stdout } = await runProgram(args);
		const reached = `GET /x host=localhost:${port} body=`;
		const refused = `agentree: localhost:${port} is not an allowed host for this agent; a person can allow it with --allow-host localhost:${port}`;
		const none = "curl: (7) Failed to connect to 127.0.0.1 port 3128";
		expect([exit, stdout.split("\n").filter((line) => line !== "")]).toEqual([
			0,
			[reached, reached, refused, refused, reached, none],
		]);
	});

	test("tells the agent, and the event log, which host was refused", async () => {
		const program = startProgram([
			"run",
			"-q",
			"--model",
			"shell",
			"--net",
			"proxy",
			"curl -s https://evil.org:8443; true",
		]);
		await program.ended;
		const transcript = readFileSync(join(await program.runDirectory(), "1/transcript.jsonl"), "utf8");
		expect(transcript).toContain(
			"[blocked by the sandbox: evil.org:8443; a person can allow a host with --allow-host]",
		);
		expect(program.events().filter(({ event }) => event === "host_refused")).toMatchObject([
			{ agent: "1", host: "evil.org", port: 8443 },
		]);
	});

	test("is nothing but what its commands serve with --net none", async () => {
		const { port } = await startServer();
		const command = `curl -sS --noproxy '*' http://127.0.0.1:${port}/ 2>&1 | sed 's/ after .*//'; cat /proc/net/dev | wc -l`;
		const { stdout } = await runProgram(["run", "-q", "--model", "shell", "--net", "none", command]);
		expect(stdout).toBe(`curl: (7) Failed to connect to 127.0.0.1 port ${port}\n3\n`);
	});

	test("keeps nobody from the token of an agent above: it is not to be found from inside", async () => {
		const { port } = await startServer();
		const seek = `for f in /proc/[0-9]*/environ; do { tr '\\0' '\\n' < $f; } 2>/dev/null; done | grep ^AGENTREE_TOKEN= | sort -u > seen; wc -l < seen; grep -c "$AGENTREE_TOKEN" seen`;
		const command = `agent --allow-host other.org '${seek.replaceAll("'", "'\\''")}' 2>/dev/null`; // there is what it is not given
		const { stdout } = await runProgram([
			"run",
			"-q",
			"--model",
			"shell",
			"--allow-host",
			`localhost:${port}`,
			command,
		]);
		expect(stdout).toBe("1\n1\n");
	});

	/** By bash, in a subshell, whose status 0 says that it came through; SERVER is a port of the machine, PROXY the run's. */
	const ATTACKS = [
		`curl -sf -m 3 --noproxy '*' http://127.0.0.1:$SERVER/`,
		`for a in $MACHINE; do curl -sf -m 3 --noproxy '*' http://$a:$SERVER/ && exit 0; done; exit 1`,
		`for a in 127.0.0.1 127.1 2130706433 0x7f000001 0.0.0.0 localhost localhost. LOCALHOST [::1] [::ffff:127.0.0.1] 127.0.0.1.allowed.test; do curl -sf -m 3 --noproxy '' "http://$a:$SERVER/" && exit 0; curl -sfp -m 3 --noproxy '' "http://$a:$SERVER/" && exit 0; done; exit 1`,
		`curl -sf -m 3 --noproxy '' -H "Host: allowed.test" http://127.0.0.1:$SERVER/`,
		`curl -sf -m 3 --noproxy '' --request-target http://127.0.0.1:$SERVER/ http://allowed.test/`,
		`echo x > /dev/udp/1.1.1.1/53`,
		`ip link add dummy0 type dummy || ip route add default dev lo || ip addr add 10.9.9.9/8 dev lo`,
		`for p in /proc/[0-9]*; do [ "$(readlink $p/ns/net)" = "$(readlink /proc/self/ns/net)" ] || nsenter --net=$p/ns/net true && [ "$(readlink $p/ns/net)" = "$OUTSIDE" ] && exit 0; done; exit 1`,
		`ls -l /proc/self/fd /proc/$$/fd | grep -q 'net:|user:'`,
		`rm -f "$PROXY" || mv "$PROXY" /tmp/p || { rm -f "\${PROXY%.proxy}"*; [ ! -e "$PROXY" ]; }`,
		`perl -MSocket -e 'socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1); setsockopt($s, SOL_SOCKET, 15, 1); exit(bind($s, sockaddr_in(3128, INADDR_LOOPBACK)) ? 0 : 1)'`,
		`perl -MSocket -e 'for (qw(AGENTREE 00000000000000000000000000000000), "") { socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ENV{PROXY})); syswrite($s, "$_\n"); exit 0 if sysread($s, my $b, 9) } exit 1'`,
		`AGENTREE_NET=host agent --net host "curl -sf -m 3 --noproxy '*' http://127.0.0.1:$SERVER/" | grep GET`,
		`agent --sandbox off "curl -sf -m 3 --noproxy '*' http://127.0.0.1:$SERVER/" | grep GET`,
		`agent --allow-host '*:*' --allow-host "127.0.0.1:*" "curl -sf -m 3 --noproxy '' http://127.0.0.1:$SERVER/" | grep GET`,
		`env -i PATH="$PATH" HOME="$HOME" agent "curl -sf -m 3 --noproxy '*' http://127.0.0.1:$SERVER/" | grep GET`,
		`env -i PATH="$PATH" HOME="$HOME" AGENTREE_HOME=/tmp/other agent run --model shell --sandbox off "curl -sf -m 3 --noproxy '*' http://127.0.0.1:$SERVER/" | grep GET`,
	];

	test.each([1, 2])(
		"is left by none of the ways that are tried from inside: at level %i",
		async (level) => {
			const { port } = await startServer();
			const directory = temporary();
			const machine = Object.values(networkInterfaces()).flatMap((addresses) =>
				(addresses ?? []).flatMap(({ family, address }) =>
					family === "IPv4" && address !== "127.0.0.1" ? [address] : [],
				),
			);
			const lines = [
				`export SERVER=${port} MACHINE=${JSON.stringify(machine.join(" "))} OUTSIDE='${readlinkSync("/proc/self/ns/net")}' PROXY="\${AGENTREE_SOCKET%.sock}.proxy"`,
				...ATTACKS.map((attack, at) => `(${attack}) > /dev/null 2>&1 && echo "attack ${at} came through"`),
				`[ -S "$PROXY" ] && curl -s http://refused.test | grep -c 'not an allowed host'`,
			];
			writeFileSync(join(directory, "attack.sh"), lines.join("\n"));
			const command = level === 1 ? "bash attack.sh" : "agent 'bash attack.sh'";
			const args = ["run", "-q", "--model", "shell", "--allow-host", "allowed.test", "--max-agents", "500", command];
			const { stdout } = await runProgram(args, { cwd: directory });
			expect(stdout).toBe("1\n");
		},
		90_000,
	);

	test("leaves nothing behind", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, "p"));
		await runProgram(["run", "-q", "--model", "shell", "--net", "proxy", "true"], { home, cwd: join(home, "p") });
		expect(spawnSync("find", [join(home, "run"), "-type", "s"], { encoding: "utf8" }).stdout).toBe("");
	});
});
