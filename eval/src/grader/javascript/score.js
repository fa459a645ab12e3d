return(JSON.stringify(await score($answer, $expected, $metadata)) ?? "");
