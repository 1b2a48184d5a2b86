import { COLLATERAL_FILE, EVIDENCES_PATH } from '../../shared/attestation/evidence.ts'
import type { OriginServices } from '../services.ts'
import { environmentBanner } from './environment-banner.ts'
import type { OriginApp } from './operation.ts'

/** A cache could mix the files of two sets of evidence. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Content type of a PEM certificate chain (RFC 8555, 9.1). */
const PEM_TYPE = 'application/pem-certificate-chain'
const HTML_TYPE = 'text/html; charset=utf-8'

/** Serves the evidence files without any changes, because the published checksums cover the exact bytes. */
export function mountEvidences(app: OriginApp, { evidence, tee, settings }: OriginServices): void {
  const banner = environmentBanner(settings.SVC_ENV)
  app.get(EVIDENCES_PATH, (context) => {
    const names = [...evidence.current().files.keys(), COLLATERAL_FILE].toSorted()
    return context.body(renderListing(names, banner), 200, {
      ...HEADERS,
      'content-type': HTML_TYPE,
      'content-security-policy': "default-src 'none'",
    })
  })

  app.get(`${EVIDENCES_PATH}:file`, async (context) => {
    const name = context.req.param('file')
    const text =
      name === COLLATERAL_FILE
        ? `${JSON.stringify(await tee.collateral(), null, 2)}\n`
        : evidence.current().files.get(name)
    if (text === undefined) return context.notFound()
    return context.body(text, 200, { ...HEADERS, 'content-type': evidenceContentType(name) })
  })
}

function evidenceContentType(name: string): string {
  if (name.endsWith('.json')) return 'application/json'
  if (name.endsWith('.pem')) return PEM_TYPE
  return 'text/plain; charset=utf-8'
}

/** File names need no escaping: they are our own, except for the domain, which a URL parser has validated. */
function renderListing(names: readonly string[], banner: string): string {
  const links = names.map((name) => `<li><a href="${name}">${name}</a></li>\n`).join('')
  return `<!doctype html>
<html lang="en">
<title>Evidence</title>
${banner}<h1>Evidence</h1>
<ul>
${links}</ul>
</html>
`
}
