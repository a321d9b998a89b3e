/**
 * Services with the protocol of OpenAI whose address and habits are known, from the documentation of each, November 2026. In
 * what they differ are flags here, and no code elsewhere.
 */
import type { HostFlags, Protocol } from "../provider/user-host.ts";

export interface KnownHost {
	readonly name: string;
	readonly baseUrl: string;
	readonly keyVariables: readonly string[];
	readonly addressVariables: readonly string[];
	readonly needsKey: boolean;
	readonly protocol: Protocol;
	readonly flags: Partial<HostFlags>;
	/** Models of it that have other habits, by its own names. */
	readonly others?: { readonly models: RegExp; readonly flags: Partial<HostFlags> };
	/** It runs on a machine of the user's own, and no token of it has a price. */
	readonly isOwn?: true;
}

const hosted = { needsKey: true, protocol: "chat" } as const;
const own = { needsKey: false, protocol: "chat", isOwn: true, flags: {} } as const;

export const KNOWN_HOSTS: readonly KnownHost[] = [
	{
		...{ name: "openai", baseUrl: "https://api.openai.com/v1", ...hosted },
		...{ keyVariables: ["OPENAI_API_KEY"], addressVariables: ["OPENAI_BASE_URL"] },
		flags: { maxTokens: "max_completion_tokens", systemRole: "developer" },
	},
	{
		...{ name: "deepseek", baseUrl: "https://api.deepseek.com/v1", ...hosted },
		...{ keyVariables: ["DEEPSEEK_API_KEY"], addressVariables: ["DEEPSEEK_BASE_URL"] },
		flags: { thinkingBack: "reasoning_content" },
	},
	{
		...{ name: "gemini", baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai", ...hosted },
		...{ keyVariables: ["GEMINI_API_KEY"], addressVariables: ["GEMINI_BASE_URL"] },
		flags: { callSignatures: true },
		others: { models: /^(?:models\/)?gemini-[12]\b/, flags: { callSignatures: false } },
	},
	{
		...{ name: "groq", baseUrl: "https://api.groq.com/openai/v1", ...hosted },
		...{ keyVariables: ["GROQ_API_KEY"], addressVariables: ["GROQ_BASE_URL"] },
		flags: { maxTokens: "max_completion_tokens" },
	},
	{
		...{ name: "openrouter", baseUrl: "https://openrouter.ai/api/v1", ...hosted },
		...{ keyVariables: ["OPENROUTER_API_KEY"], addressVariables: ["OPENROUTER_BASE_URL"] },
		flags: { thinkingBack: "reasoning_details", effort: "reasoning" },
	},
	{
		...{ name: "ollama", baseUrl: "http://127.0.0.1:11434/v1", ...own },
		...{ keyVariables: ["OLLAMA_API_KEY"], addressVariables: ["OLLAMA_BASE_URL"] },
		flags: { cutsPrompts: true },
	},
	{
		...{ name: "vllm", baseUrl: "http://127.0.0.1:8000/v1", ...own },
		...{ keyVariables: ["VLLM_API_KEY"], addressVariables: ["VLLM_BASE_URL"] },
	},
];
