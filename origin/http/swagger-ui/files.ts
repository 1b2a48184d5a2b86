import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

type ServedFile = { type: string; etag: string; bytes: Uint8Array<ArrayBuffer> }

/** Script that starts Swagger UI. Served as a file, because the page's CSP forbids inline scripts. */
const INITIALIZER = `window.addEventListener('load', () => {
  SwaggerUIBundle({
    url: '/core/v1/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    // It would be sent to a server that is not ours.
    validatorUrl: null,
  })
})
`

const PACKAGE_FILES: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

export function swaggerUiFiles(): ReadonlyMap<string, ServedFile> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const files = new Map<string, ServedFile>()
  for (const [name, type] of Object.entries(PACKAGE_FILES))
    files.set(name, toServedFile(type, readFileSync(join(folder, name))))
  const script = 'text/javascript; charset=utf-8'
  files.set('swagger-initializer.js', toServedFile(script, Buffer.from(INITIALIZER)))
  return files
}

function toServedFile(type: string, content: Buffer): ServedFile {
  const hash = createHash('sha256').update(content).digest('base64url')
  return { type, etag: `"${hash}"`, bytes: Uint8Array.from(content) }
}

/** @param banner HTML at the top of the page */
export const swaggerUiPage = (banner: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc core API</title>
<link rel="icon" type="image/png" href="/core/v1/swagger-ui/favicon-32x32.png">
<link rel="stylesheet" href="/core/v1/swagger-ui/swagger-ui.css">
</head>
<body>
${banner}<div id="swagger-ui"></div>
<noscript>This page needs JavaScript to show <a href="/core/v1/openapi.json">the OpenAPI document</a>.</noscript>
<script src="/core/v1/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/core/v1/swagger-ui/swagger-initializer.js"></script>
</body>
</html>
`
