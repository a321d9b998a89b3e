/**
 * What a service's refusal tells of its quirks, so that it is asked in its own way from then on. Of a service of the user's own
 * nothing else is known; each change is made once, so a refusal that stays is a failure.
 */
import { defined } from "../../core/defined.ts";
import type { HostFlags, Protocol } from "../provider/user-host.ts";
import type { Host } from "./host.ts";

interface Quirk {
	readonly says: RegExp;
	readonly flags: Partial<HostFlags>;
	readonly words: string;
}

const REFUSES =
	"(?:unsupported|not supported|does not support|unknown|unrecognized|not permitted|not allowed|extra|invalid)";

/** Some templates of open models want a user behind each assistant, and let neither results nor a system prompt count. */
const ALTERNATE = /\broles must alternate|unexpected role \W?user\W? after role \W?tool/i;

const NO_SYSTEM =
	/system (?:role|messages?) (?:is |are )?not supported|only user(?:,| and) assistant\b.{0,20} roles are supported/i;

const QUIRKS: readonly Quirk[] = [
	{
		says: /max_tokens\b.{0,120}\bmax_completion_tokens/is,
		flags: { maxTokens: "max_completion_tokens" },
		words: "with max_completion_tokens",
	},
	{ says: refusal("max_completion_tokens"), flags: { maxTokens: "max_tokens" }, words: "with max_tokens" },
	{ says: refusal("stream_options|include_usage"), flags: { streamUsage: false }, words: "without stream_options" },
	{ says: refusal("developer"), flags: { systemRole: "system" }, words: "with the role system" },
	{ says: ALTERNATE, flags: { textAfterResults: false }, words: "with text in the last result" },
	{
		says: new RegExp(`${ALTERNATE.source}|${NO_SYSTEM.source}`, "i"),
		flags: { systemRole: "user" },
		words: "with the system prompt in the first message",
	},
	{
		says: /\bcall ids?\b.{0,80}\b(?:length|with) (?:of )?9\b|\bcall ids?\b.{0,80}\b9 characters/is,
		flags: { shortCallIds: true },
		words: "with ids of nine letters and digits",
	},
	{ says: /summar(?:y|ies)\b/i, flags: { thinkingSummary: false }, words: "without summaries of thinking" },
	{ says: /encrypted[ _]content/i, flags: { encryptedThinking: false }, words: "without encrypted thinking" },
	{ says: refusal("reasoning_effort|reasoning|effort"), flags: { effort: "none" }, words: "without an effort" },
	{ says: refusal("tool_choice"), flags: { toolChoice: false }, words: "without tool_choice" },
	{
		says: /reasoning_content\b.{0,80}\b(?:passed back|missing)|missing\b.{0,20}\breasoning_content/is,
		flags: { thinkingBack: "reasoning_content" },
		words: "with its thinking",
	},
	{
		says: /missing\b.{0,40}\bthought_?signature/is,
		flags: { callSignatures: true },
		words: "with a placeholder for the signatures of calls of other models",
	},
];

/** The name stands near a word of refusal. */
function refusal(name: string): RegExp {
	return new RegExp(`(?:${name})['"\`]?\\b.{0,80}${REFUSES}|${REFUSES}.{0,80}(?:${name})\\b`, "is");
}

const OTHER_PROTOCOL = /\/v1\/responses\b|(?:only|use|through) (?:the )?responses api/i;

interface Learned {
	readonly protocol?: Protocol;
	readonly flags?: Partial<HostFlags>;
	/** How the service is asked from now on: `without stream_options`. */
	readonly words: string;
}

/** `words`: of a refusal of a request. `host`: as it was asked then. Undefined when nothing new is to be learned of them. */
export function learnedFrom(words: string, host: Host): Learned | undefined {
	if (host.protocol === "chat" && OTHER_PROTOCOL.test(words)) return { protocol: "responses", words: "at /responses" };
	const quirk = QUIRKS.find(({ says, flags }) => isNew(flags, host) && says.test(words));
	return quirk && { flags: quirk.flags, words: quirk.words };
}

/** The host with that, and with what other calls have learned meanwhile. */
export function withLearned(host: Host, { protocol, flags }: Pick<Learned, "protocol" | "flags">): Host {
	return { ...host, ...defined({ protocol }), flags: { ...host.flags, ...flags } };
}

function isNew(flags: Partial<HostFlags>, host: Host): boolean {
	return Object.entries(flags).some(([key, value]) => host.flags[key as keyof HostFlags] !== value);
}

/** In each, the most tokens of an answer. */
const BOUNDS: readonly RegExp[] = [
	/at most (\d+) (?:completion|output) tokens/i, // OpenAI
	/valid range of max_tokens is \[\d+, ?(\d+)\]/i, // DeepSeek
	/max_(?:completion_|output_)?tokens\W{0,3} must be (?:less than or equal to|at most|<=) \W?(\d+)/i, // Groq
	/max_(?:completion_|output_)?tokens\b.{0,40}> (\d+), which is the maximum/i, // services behind a gateway
];
/** The whole context, and what of it the prompt takes: `maximum context length is 32768 tokens … (1000 in the messages, …)`. */
const WHOLE = /maximum context length is (\d+)/i;
const PROMPT = /\((\d+) in the (?:messages|prompt)|(?:has|with|least) (\d+) input tokens/i;
const LEAST_TOKENS = 256;

/**
 * The bound of an answer that the words of a refusal ask for; undefined when they do not. Of what the prompt leaves of a context
 * half is taken: the next prompt is longer.
 */
export function answerBoundIn(words: string): number | undefined {
	for (const pattern of BOUNDS) {
		const bound = Number(pattern.exec(words)?.[1]);
		if (bound >= 1) return bound;
	}
	const [, whole] = WHOLE.exec(words) ?? [];
	const [, first, second] = PROMPT.exec(words) ?? [];
	const left = Math.floor((Number(whole) - Number(first ?? second)) / 2);
	return left >= LEAST_TOKENS ? left : undefined;
}
