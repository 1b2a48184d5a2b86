import type { App } from './app-env.ts'
import { openApiDocument } from './openapi/document.ts'

/** Generated at the first request, to keep startup fast. */
export function registerOpenApi(app: App): void {
  let made: { publicUrl: string; text: string } | undefined
  app.get('/openapi.json', (c) => {
    const publicUrl = c.var.services.settings.PUBLIC_URL
    if (made?.publicUrl !== publicUrl)
      made = { publicUrl, text: JSON.stringify(openApiDocument(publicUrl)) }
    return c.body(made.text, 200, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
  })
}
