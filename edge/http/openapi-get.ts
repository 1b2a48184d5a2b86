import type { App } from './app-env.ts'
import { openApiDocument } from './openapi/document.ts'

/** Registers the OpenAPI document, which is generated at the first request to keep startup fast. */
export function registerOpenApi(app: App): void {
  let cached: { publicUrl: string; text: string } | undefined
  app.get('/openapi.json', (c) => {
    const publicUrl = c.var.services.settings.PUBLIC_URL
    if (cached?.publicUrl !== publicUrl)
      cached = { publicUrl, text: JSON.stringify(openApiDocument(publicUrl)) }
    return c.body(cached.text, 200, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
  })
}
