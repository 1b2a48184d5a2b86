/**
 * The app-compose text of dstack: what it measures, and what its SHA-256, the compose hash, is of. Fields as dstack
 * reads them (`AppCompose` in Dstack-TEE/dstack, `dstack-types/src/lib.rs`), each set, so that no default of another
 * version of dstack decides.
 */

/**
 * @param composeText the compose file, byte for byte
 * @returns JSON; the same text for the same compose file
 */
export function appComposeText(composeText: string): string {
  return JSON.stringify({
    manifest_version: 2,
    name: 'svc-origin',
    runner: 'docker-compose',
    docker_compose_file: composeText,
    // Keys come from the KMS, are bound to the app id, and outlive an upgrade.
    kms_enabled: true,
    local_key_provider_enabled: false,
    key_provider: 'kms',
    // The gateway would end TLS outside of this machine.
    gateway_enabled: false,
    public_logs: false,
    public_sysinfo: false,
    public_tcbinfo: true,
    allowed_envs: variablesIn(composeText),
    no_instance_id: false,
    // Certificates, collateral and sealed requests are judged by the clock, which the host could set otherwise.
    secure_time: true,
  })
}

/**
 * Names of the variables that a compose file takes from the encrypted environment: entries of `environment` without a
 * value, and `${NAME}`; `$$` is a dollar.
 */
export function variablesIn(composeText: string): string[] {
  const text = composeText.replace(/^\s*#.*$/gm, '').replaceAll('$$', '')
  const found = [
    ...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g),
    ...text.matchAll(/^\s+- ([A-Z][A-Z0-9_]*)$/gm),
  ]
  return [...new Set(found.map(([, name]) => name!))].toSorted()
}
