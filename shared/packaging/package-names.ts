/** Names in the npm registry. The name `svc` belongs to another project there. */
export const CLIENT_PACKAGE = '@svc-run/client'
export const CLI_PACKAGE = '@svc-run/cli'

/** The oldest version of Node on which the packages are tested. */
export const NODE_MIN = '20.19'
