import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PersonKey } from "../../../../src/supervisor/clients/person-key.ts";
import { proofOf } from "../../../../src/wire/person-connection.ts";

function keyIn() {
	const directory = mkdtempSync(join(tmpdir(), "agentree-key-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return { directory, path: join(directory, ".person-key"), key: new PersonKey(directory) };
}

/** Names this process, as a client does it. */
function named(name: string): () => void {
	const before = readFileSync("/proc/self/comm", "latin1").trimEnd();
	writeFileSync("/proc/self/comm", name);
	return () => writeFileSync("/proc/self/comm", before);
}

test("the key is for the user alone, and two runs have two", () => {
	const [one, other] = [keyIn(), keyIn()];
	expect(statSync(one.path).mode & 0o777).toBe(0o600);
	expect(readFileSync(one.path, "latin1")).toMatch(/^[0-9a-f]{64}$/);
	expect(readFileSync(one.path)).not.toEqual(readFileSync(other.path));
	one.key.remove();
	expect(() => statSync(one.path)).toThrow("ENOENT");
});

// Seen to fail with the secret alone: an agent, which can read it, passes for any process.
test("who has read the key is the process that has taken the name, and no other one", () => {
	const { key, path } = keyIn();
	const challenge = key.challenge();
	const proof = { say: "proof", digest: proofOf(readFileSync(path, "latin1"), challenge.name) } as const;
	expect(key.faultOf(proof, challenge)).toBeUndefined();
	expect(key.doubt(process.pid, challenge)).toBe(`the system does not show that it is process ${process.pid}`);
	const takeBack = named(challenge.name);
	const doubts = [process.pid, process.ppid, 1].map((pid) => key.doubt(pid, challenge));
	takeBack();
	expect(doubts).toEqual([
		undefined,
		`the system does not show that it is process ${process.ppid}`,
		"the system does not show that it is process 1",
	]);
});

test("a proof is for one challenge, and needs the key", () => {
	const { key, path } = keyIn();
	const [first, second] = [key.challenge(), key.challenge()];
	expect(first.name).toHaveLength(15);
	const digest = proofOf(readFileSync(path, "latin1"), first.name);
	const unknown = "it does not know the run's key";
	expect(key.faultOf({ say: "proof", digest }, second)).toBe(unknown);
	expect(key.faultOf({ say: "proof", digest: proofOf("", second.name) }, second)).toBe(unknown);
});

test("a key that an agent has removed, altered or replaced is made again for who needs it", () => {
	const { key, path } = keyIn();
	const secret = readFileSync(path, "latin1");
	const damages = [
		() => rmSync(path),
		() => writeFileSync(path, "x".repeat(64)),
		() => {
			rmSync(path);
			symlinkSync("/etc/passwd", path);
		},
	];
	const found = damages.map((damage) => {
		damage();
		key.challenge();
		return readFileSync(path, "latin1");
	});
	expect(found).toEqual([secret, secret, secret]);
});

test("where no key can be written the run goes on without, and who needs one is told", () => {
	const key = new PersonKey("/proc/no/such");
	expect(() => key.challenge()).toThrow(/^cannot write \/proc\/no\/such\/.person-key: /);
});
