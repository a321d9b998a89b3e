/** Calls through a proxy, with a real one on 127.0.0.1. */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type FakeProxy, startFakeProxy } from "../../fixtures/fake-proxy.ts";
import { startTlsFront } from "../../fixtures/tls-front.ts";
import { runProgram, temporaryHome } from "../program.ts";
import { KEY, runs, says, startService } from "./api-run.ts";

async function startProxy(options?: { refusesWith?: number }): Promise<FakeProxy> {
	const proxy = await startFakeProxy(options);
	onTestFinished(() => proxy.close());
	return proxy;
}

const ANSWERS = { look: [{ content: [runs("toolu_1", "env | grep -ci proxy")] }, { content: [says("done")] }] };
const DONE = { exit: 0, stdout: "done\n", stderr: "" };
const withPassword = ({ port }: FakeProxy) => `http://me:p%40ss-word@127.0.0.1:${port}`;

test("an https service is reached through a tunnel, with the proxy's password and the user's own certificate", async () => {
	const [proxy, api, home] = [await startProxy(), await startService(ANSWERS), temporaryHome()];
	const front = await startTlsFront(api.url, home);
	const env = {
		ANTHROPIC_API_KEY: KEY,
		ANTHROPIC_BASE_URL: `https://service.test:${front.port}`,
		...{ HTTPS_PROXY: withPassword(proxy), HTTP_PROXY: "http://127.0.0.1:1", NODE_EXTRA_CA_CERTS: front.certificate },
		DEBUG: "*", // libraries would print what they do, with the password
	};
	for (const run of ["run", "tree"]) expect(await runProgram([run, "-q", "look"], { home, env })).toEqual(DONE);
	expect([...new Set(proxy.asked)]).toEqual([`CONNECT service.test:${front.port}`]);
	expect([...new Set(proxy.credentials)]).toEqual(["me:p@ss-word"]);
	expect(api.requests.every(({ headers }) => headers["proxy-authorization"] === undefined)).toBe(true);
});

test("for an http service the proxy makes the request, unless no_proxy has its host", async () => {
	const [proxy, api] = [await startProxy(), await startService({ look: [{ content: [says("done")] }] })];
	const { port } = new URL(api.url);
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, http_proxy: proxy.url };
	expect(await runProgram(["run", "look"], { env: { ...env, HTTP_PROXY: "http://127.0.0.1:1" } })).toEqual(DONE);
	expect(proxy.asked).toEqual([`POST http://127.0.0.1:${port}/v1/messages`]);
	for (const except of ["127.0.0.0/8", `x.test, 127.0.0.1:${port}`, "*"])
		expect(await runProgram(["run", "look"], { env: { ...env, NO_PROXY: except } })).toEqual(DONE);
	expect(proxy.asked).toHaveLength(1);
});

// Seen to fail, with a bug that ended the run: `Response` takes neither this status nor this reason.
test("an answer that HTTP does not know is an answer", async () => {
	const odd = createServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => socket.end("HTTP/1.1 999 \x01\r\ncontent-length: 4\r\n\r\nbusy"));
	});
	await new Promise<void>((listening) => odd.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void odd.close());
	const http_proxy = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
	const env = {
		ANTHROPIC_API_KEY: KEY,
		ANTHROPIC_BASE_URL: "http://service.test",
		AGENTREE_RETRY_TIME: "0s",
		http_proxy,
	};
	const { exit, stderr } = await runProgram(["run", "look"], { env });
	expect([exit, stderr]).toEqual([75, expect.stringContaining("busy (HTTP 999) through the proxy")]);
});

test("a proxy that is not there, or refuses, is named, and its password is not", async () => {
	const closed = createServer();
	await new Promise<void>((listening) => closed.listen(0, "127.0.0.1", listening));
	const { port } = closed.address() as AddressInfo;
	await new Promise((done) => closed.close(done));
	const env = (proxy: string, address = "https://service.test") => ({
		...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: address, HTTPS_PROXY: proxy, HTTP_PROXY: proxy },
		...{ AGENTREE_RETRY_TIME: "1s", AGENTREE_MAX_SILENCE: "1s" },
	});
	const said = async (proxy: string, address?: string) => {
		const { exit, stderr } = await runProgram(["run", "look"], { env: env(proxy, address) });
		expect(stderr).not.toMatch(/p@ss-word|p%40ss-word/);
		return `${exit} ${stderr.replace(/127\.0\.0\.1:\d+/g, "PROXY")}`;
	};
	expect(await said(`http://me:p%40ss-word@127.0.0.1:${port}`)).toMatch(
		/^75 .*the service is out of reach: https:\/\/service\.test through the proxy http:\/\/PROXY \(HTTPS_PROXY\): .*ECONNREFUSED PROXY/,
	);
	expect(await said(withPassword(await startProxy({ refusesWith: 407 })))).toMatch(
		/^75 .*the proxy http:\/\/PROXY \(HTTPS_PROXY\) refused the connection to https:\/\/service\.test \(HTTP 407\): it requires a user name and password\n$/,
	);
	expect(await said(withPassword(await startProxy({ refusesWith: 407 })), "http://service.test")).toMatch(
		/^1 .*no \(HTTP 407\) through the proxy http:\/\/PROXY \(HTTP_PROXY\): it requires a user name and password/,
	);
	const mute = createServer();
	await new Promise<void>((listening) => mute.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void mute.close());
	// Seen to fail, without an end: a request that waits for its tunnel has no socket that could be ended with it.
	expect(await said(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`)).toMatch(
		/^75 .*the service was silent for too long through the proxy http:\/\/PROXY \(HTTPS_PROXY\), so the call was abandoned/,
	);
	expect(await said("socks5://me:p%40ss-word@127.0.0.1:1")).toBe(
		"2 agent: HTTPS_PROXY is not the http or https address of a proxy, but one of socks5: correct it, or add the service's host to NO_PROXY\n",
	);
});
