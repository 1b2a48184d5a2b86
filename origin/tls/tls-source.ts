import type { OriginSettings } from '../env.ts'
import { isSameTls, readOperatorTls } from './operator-files.ts'
import { domainOf, localTls, type ServedTls } from './served-tls.ts'

type TlsSource = {
  initial: ServedTls
  /**
   * Returns `served` itself if the files have not changed.
   * @throws {TlsFilesError}
   */
  reload: (served: ServedTls) => ServedTls
}

/**
 * Opens the source of the TLS files. If `SVC_TLS_DIR` is set, the files are read from that folder, where they are
 * renewed by `origin/tls/acme/` or by an ACME client of the operator. Otherwise, the local stack's own files are used,
 * which are renewed only at startup.
 * @throws {TlsFilesError}
 */
export async function openTlsSource(
  settings: Pick<OriginSettings, 'SVC_TLS_DIR' | 'SVC_PUBLIC_URL'>,
  stateDir: string,
): Promise<TlsSource> {
  const { SVC_TLS_DIR: folder, SVC_PUBLIC_URL: publicUrl } = settings
  if (folder === undefined)
    return { initial: await localTls(stateDir, publicUrl), reload: (served) => served }
  const read = () => readOperatorTls(folder, domainOf(publicUrl))
  return {
    initial: read(),
    reload: (served) => {
      const found = read()
      return isSameTls(found, served) ? served : found
    },
  }
}
