import { DOCUMENT_PATHS, documentsOf } from '../skill/documents.ts'
import type { Settings } from '../env.ts'
import type { App } from './app-env.ts'
import { withEtag } from './etag.ts'

export function registerSkill(app: App): void {
  for (const path of DOCUMENT_PATHS)
    app.get(path, async (c) => {
      const served = await documents(c.var.services.settings)
      const { text, contentType, digest } = served.get(path)!
      const headers = {
        'content-type': contentType,
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      }
      return withEtag(c, text, headers, digest)
    })
}

/** Documents of this isolate. They are generated at the first request, to keep startup fast. */
let cached: { settings: Settings; documents: ReturnType<typeof documentsOf> } | undefined
function documents(settings: Settings): ReturnType<typeof documentsOf> {
  if (cached?.settings !== settings) cached = { settings, documents: documentsOf(settings) }
  return cached.documents
}
