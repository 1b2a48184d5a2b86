import tls from 'node:tls'

/**
 * Certificate authorities that Node trusts by default, as PEM. Node 20 cannot list those of `NODE_EXTRA_CA_CERTS`, so
 * there, an additional authority has to be given with `--ca`.
 */
export function defaultAuthorities(): readonly string[] {
  return tls.getCACertificates?.('default') ?? tls.rootCertificates
}
