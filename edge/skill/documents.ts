/**
 * Generates the guide for agents, and the documents that lead to the guide (`docs/decisions/0051`). The guide is in the
 * Agent Skills format (agentskills.io). Details are in separate documents under `references/`.
 */
import { encodeHex } from '../../shared/encoding/hex.ts'
import type { Settings } from '../env.ts'
import { sha256 } from '../sha256.ts'
import { fillPlaceholders, placeholdersOf } from './placeholders.ts'
import { skillIndex } from './skill-index.ts'
import guide from './SKILL.md'
import llms from './llms.txt'
import authorization from './references/authorization.md'
import chainEvents from './references/chain-events.md'
import errors from './references/errors.md'
import params from './references/params.md'
import runs from './references/runs.md'
import schedules from './references/schedules.md'
import senders from './references/senders.md'
import transactions from './references/transactions.md'
import wallets from './references/wallets.md'

type ServedDocument = {
  text: string
  contentType: string
  /** SHA-256 of the UTF-8 text, in hex. */
  digest: string
}

const MARKDOWN = 'text/markdown; charset=utf-8'

const TEMPLATES: Record<string, string> = {
  '/SKILL.md': guide,
  '/references/authorization.md': authorization,
  '/references/chain-events.md': chainEvents,
  '/references/errors.md': errors,
  '/references/params.md': params,
  '/references/runs.md': runs,
  '/references/schedules.md': schedules,
  '/references/senders.md': senders,
  '/references/transactions.md': transactions,
  '/references/wallets.md': wallets,
}

/** Path of the index of guides (Agent Skills Discovery 0.2.0). */
export const INDEX_PATH = '/.well-known/agent-skills/index.json'
export const GUIDE_PATH = '/SKILL.md'
export const LLMS_PATH = '/llms.txt'

export const DOCUMENT_PATHS = [...Object.keys(TEMPLATES), LLMS_PATH, INDEX_PATH]

export async function documentsOf(settings: Settings): Promise<Map<string, ServedDocument>> {
  const values = placeholdersOf(settings)
  const served = new Map<string, ServedDocument>()
  const add = async (path: string, contentType: string, text: string) =>
    served.set(path, { text, contentType, digest: encodeHex(await sha256(text)) })
  for (const [path, template] of Object.entries(TEMPLATES))
    await add(path, MARKDOWN, fillPlaceholders(template, values))
  await add(LLMS_PATH, 'text/plain; charset=utf-8', fillPlaceholders(llms, values))
  const url = new URL(GUIDE_PATH, settings.PUBLIC_URL).href
  const index = skillIndex(served.get(GUIDE_PATH)!, url)
  await add(INDEX_PATH, 'application/json', JSON.stringify(index, null, 2))
  return served
}
