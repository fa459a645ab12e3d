// expect: syntax, ok, thrown
</script><script>1</script>
