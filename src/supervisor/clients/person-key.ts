/**
 * The secret by which a person proves itself: random bytes in a file of the run's directory that only the user may read, and
 * that no environment names. Agents run as the same user, so to have read it proves nothing about where a client is: the
 * kernel has to say which process asks. So the client gets a random name, and takes it as its process's name, which no other
 * process can give it, and which everybody can read (/proc/PID/comm). Whether that process is in the tree is decided by
 * ../processes/whose-is.ts. Where there is no /proc the secret alone counts.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, fchmodSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { processName } from "../../processes/proc-facts.ts";
import { hasProc } from "../../processes/table/open-table.ts";
import { onDisk } from "../../record/files/private-files.ts";
import { KEY_FILE, proofOf } from "../../wire/person-connection.ts";
import type { Proof } from "../../wire/watcher-messages.ts";

const KEY_BYTES = 32;
const NAME_CHARS = 15; // the kernel keeps no more of a name

export interface Challenge {
	/** The path of the key. */
	readonly key: string;
	/** What the client's process is to be named. */
	readonly name: string;
}

export class PersonKey {
	private readonly path: string;
	private readonly secret = randomBytes(KEY_BYTES).toString("hex");
	private mark: string | undefined;

	/** Makes the file. On a full disk there is none: the next challenge tries again. */
	constructor(directory: string) {
		this.path = join(directory, KEY_FILE);
		try {
			this.write();
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
		}
	}

	/** Throws AgentreeError("not_writable") when there is no key, and none can be written. */
	challenge(): Challenge {
		if (this.mark === undefined || markOf(this.path) !== this.mark) this.write(); // an agent has removed or altered it
		return { key: this.path, name: randomBytes(NAME_CHARS).toString("base64url").slice(0, NAME_CHARS) };
	}

	/** The reason why the proof is none; undefined when it is one. Costs little, whoever asks how often. */
	faultOf({ digest }: Proof, { name }: Challenge): string | undefined {
		const expected = Buffer.from(proofOf(this.secret, name));
		const told = Buffer.from(digest);
		const isRight = told.length === expected.length && timingSafeEqual(told, expected);
		return isRight ? undefined : "it does not know the run's key";
	}

	/** The reason why the client is not taken for the process `pid`; undefined when it is. */
	doubt(pid: number, { name }: Challenge): string | undefined {
		if (!hasProc() || processName(pid) === name) return undefined;
		return `the system does not show that it is process ${pid}`;
	}

	remove(): void {
		rmSync(this.path, { force: true });
	}

	private write(): void {
		onDisk(this.path, () => {
			rmSync(this.path, { force: true, recursive: true });
			const file = openSync(this.path, "wx", 0o600);
			try {
				fchmodSync(file, 0o600);
				writeSync(file, this.secret);
			} finally {
				closeSync(file);
			}
		});
		this.mark = markOf(this.path);
	}
}

/** Names the file that is there, as it is: the time of its last change cannot be set. */
function markOf(path: string): string | undefined {
	try {
		const { dev, ino, size, mode, ctimeNs } = lstatSync(path, { bigint: true });
		return [dev, ino, size, mode, ctimeNs].join(" ");
	} catch {
		return undefined;
	}
}
