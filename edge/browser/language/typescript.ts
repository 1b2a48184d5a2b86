/** TypeScript 5, because TypeScript 7 is native and cannot run in a browser. `overrides` in package.json pins the version. */
export { default } from 'dts-bundle-generator/node_modules/typescript/lib/typescript.js'
