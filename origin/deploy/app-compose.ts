/**
 * Generates the app-compose text. dstack measures this text: its SHA-256 hash is the compose hash. The fields follow
 * `AppCompose` in Dstack-TEE/dstack, `dstack-types/src/lib.rs`. All fields are set explicitly, because their defaults
 * depend on the version of dstack.
 */

/** @param composeText content of the compose file, byte for byte */
export function appComposeText(composeText: string): string {
  return JSON.stringify({
    manifest_version: 2,
    name: 'svc-origin',
    runner: 'docker-compose',
    docker_compose_file: composeText,
    // Keys are issued by the KMS, are bound to the app ID, and survive upgrades.
    kms_enabled: true,
    local_key_provider_enabled: false,
    key_provider: 'kms',
    // The gateway is disabled, because it would terminate TLS outside of this machine.
    gateway_enabled: false,
    public_logs: false,
    public_sysinfo: false,
    public_tcbinfo: true,
    allowed_envs: variablesIn(composeText),
    no_instance_id: false,
    // Prevents the host from setting the clock, on which certificates, collateral and sealed requests depend.
    secure_time: true,
  })
}

/**
 * Returns the variables that are taken from the encrypted environment: entries of `environment` without a value, and
 * `${NAME}`. `$$` is an escaped dollar sign.
 */
export function variablesIn(composeText: string): string[] {
  const text = composeText.replace(/^\s*#.*$/gm, '').replaceAll('$$', '')
  const found = [
    ...text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g),
    ...text.matchAll(/^\s+- ([A-Z][A-Z0-9_]*)$/gm),
  ]
  return [...new Set(found.map(([, name]) => name!))].toSorted()
}
