/** esbuild imports style sheets as text, which scripts then adopt. */
declare module '*.css' {
  const text: string
  export default text
}
