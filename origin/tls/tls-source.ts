import type { Settings } from '../env.ts'
import { isSameTls, readOperatorTls } from './operator-files.ts'
import { domainOf, localTls, type ServedTls } from './served-tls.ts'

export type TlsSource = {
  first: ServedTls
  /** Returns `served` itself if the files have not changed. @throws {TlsFilesUnusable} */
  look: (served: ServedTls) => ServedTls
}

/**
 * An ACME client renews the files in `SVC_TLS_DIR`. Without that setting, the local stack's own files are used, renewed
 * only at startup.
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
