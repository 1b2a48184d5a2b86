/** Public documents for agents: `/SKILL.md` with its references, `/llms.txt`, and the index of guides. */
import type { Context } from 'hono'
import { DOCUMENT_PATHS, documentsOf, type ServedDocument } from '../skill/documents.ts'
import type { Settings } from '../env.ts'
import type { App, AppEnv } from './app-env.ts'
import { withEtag } from './etag.ts'

export function registerSkill(app: App): void {
  for (const path of DOCUMENT_PATHS)
    app.get(path, async (c) => respond(c, (await documents(c.var.services.settings)).get(path)!))
}

/** Generated at an isolate's first request, to keep startup fast. */
let cached: { settings: Settings; documents: ReturnType<typeof documentsOf> } | undefined
function documents(settings: Settings): ReturnType<typeof documentsOf> {
  if (cached?.settings !== settings) cached = { settings, documents: documentsOf(settings) }
  return cached.documents
}

function respond(c: Context<AppEnv>, { text, contentType, digest }: ServedDocument) {
  const headers = {
    'content-type': contentType,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  }
  return withEtag(c, text, headers, digest)
}
