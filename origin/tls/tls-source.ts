import type { Settings } from '../env.ts'
import { isSameTls, readOperatorTls } from './operator-files.ts'
import { domainOf, localTls, type ServedTls } from './served-tls.ts'

/** Where the certificate comes from. */
export type TlsSource = {
  first: ServedTls
  /** What is there now; `served` itself where that has not changed. @throws {TlsFilesUnusable} */
  look: (served: ServedTls) => ServedTls
}

/**
 * The files of an ACME client where `SVC_TLS_DIR` names them, which are renewed in place; else the local stack's own,
 * which are made anew at a start alone.
 * @throws {TlsFilesUnusable}
 */
export async function openTlsSource(
  settings: Pick<Settings, 'SVC_TLS_DIR' | 'SVC_PUBLIC_URL'>,
  stateDir: string,
): Promise<TlsSource> {
  const { SVC_TLS_DIR: folder, SVC_PUBLIC_URL: publicUrl } = settings
  if (folder === undefined)
    return { first: await localTls(stateDir, publicUrl), look: (served) => served }
  const read = () => readOperatorTls(folder, domainOf(publicUrl))
  const look = (served: ServedTls) => {
    const found = read()
    return isSameTls(found, served) ? served : found
  }
  return { first: read(), look }
}
