/** The package build replaces this module: in the package, the examples are beside the bundles. */
export const EXAMPLES_FOLDER = new URL('../../../examples/', import.meta.url)
