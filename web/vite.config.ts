import { defineConfig } from "vite";

// The page is served under a strict Content-Security-Policy: nothing is inlined, nothing comes from another host.
export default defineConfig({
  base: "./",
  publicDir: "public",
  build: {
    outDir: "../src/jumok/studio/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: true,
    sourcemap: false,
  },
});
